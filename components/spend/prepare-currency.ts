import type { inferRouterOutputs } from "@trpc/server";
import { exactDollars } from "#components/csv/csv.ts";
import type { AppRouter } from "#server/api/trpc/router.ts";
import { csvText } from "#server/kernel/csv.ts";
import { formatMoney } from "../money/format-money.ts";
import { bucketLabel, groupLabel } from "./prepare-table.ts";
import type { SpendBucket } from "./range.ts";
import type { SpendView } from "./view.ts";

type Converted = NonNullable<inferRouterOutputs<AppRouter>["spend"]["inCurrency"]>;
type Rates = Converted["rates"];

export interface CurrencyRow {
	id: string;
	label: string;
	sums: Converted["totals"]["converted"];
}

/** Groups in the order received, then the total. Groups without cost are left out. */
export function prepareCurrencyRows({ items, totals }: Converted, view: Pick<SpendView, "by">, bucket: SpendBucket): CurrencyRow[] {
	const dimension = view.by === "job" ? "team" : view.by;
	const label = ({ key, converted: { idleMicro, totalMicro } }: Converted["items"][number]) =>
		dimension === "time" ? bucketLabel(key, bucket) : groupLabel(dimension, { key, idleMicroUsd: idleMicro, totalMicroUsd: totalMicro });
	return [
		...items
			.filter((item) => item.totalMicroUsd !== 0n)
			.map((item) => ({ id: `group:${item.key}`, label: label(item), sums: item.converted })),
		{ id: "total", label: "Total", sums: totals.converted },
	];
}

/** The amount without its currency, which the column has: "1,234.17". */
export const formatIn = (micro: bigint): string => formatMoney(micro, "posted").replace("$", "");

/** "Converted at the rate of each day, 2026-11-02 to 2026-11-25, from ECB." */
export function ratesText({ from, to, sources }: Rates): string {
	if (from === null) return "Nothing to convert.";
	return `Converted at the rate of each day, ${from === to ? from : `${from} to ${to}`}, from ${sources.join("; ")}.`;
}

/** Exact amounts with the rates they were converted at. */
export function currencyCsv(rows: readonly CurrencyRow[], { rates }: Pick<Converted, "rates">): string {
	const { currency } = rates;
	const head = [
		"Group",
		...["Owned used", "Owned idle", "Cloud", "Total"].map((part) => `${part} ${currency}`),
		"Rates from",
		"Rates to",
		"Source",
	];
	const lines = rows.map(({ label, sums }) => [
		label,
		...[sums.ownedMicro, sums.idleMicro, sums.cloudMicro, sums.totalMicro].map(exactDollars),
		...[rates.from ?? "", rates.to ?? "", rates.sources.join("; ")],
	]);
	return csvText([head, ...lines]);
}
