import { dayKey } from "#server/accounting/calendar.ts";
import type { Converter, RatesUsed } from "#server/accounting/exchange.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { openConverter } from "#server/services/pricing/currency/rates.ts";
import { LEDGER_CURRENCY, reportingCurrency } from "#server/services/pricing/currency/reporting-currency.ts";
import { type GroupedSums, groupSums, type SpendQuery } from "./group-sums.ts";
import type { SumsRow } from "./read-sums.ts";
import { type Spend, spendBy } from "./spend-by.ts";
import { SPEND_COLUMNS, type SpendSums, toSpend } from "./sums.ts";

/** Effective cost in millionths of the currency; owned + idle + cloud is the total. */
export interface ConvertedSpend {
	ownedMicro: bigint;
	idleMicro: bigint;
	cloudMicro: bigint;
	totalMicro: bigint;
}

export interface SpendInCurrency extends GroupedSums<SpendSums & { converted: ConvertedSpend }> {
	rates: RatesUsed;
}

/**
 * The result of spendBy, plus amounts in another currency. The spend of each day, group and kind of capacity is converted at
 * the day's rate and rounded; totals are sums of these parts. For USD, only the result of spendBy.
 * @param currency defaults to the company's reporting currency.
 * @throws SpillwayError as spendBy; `conflict` with currency and day when a rate is missing.
 */
export async function spendInCurrency(
	ctx: Pick<ServiceContext, "actor" | "db">,
	{ currency: asked, ...query }: SpendQuery & { currency?: string | undefined },
): Promise<Spend | SpendInCurrency> {
	const currency = asked ?? (await reportingCurrency(ctx.db));
	if (currency === LEDGER_CURRENCY) return spendBy(ctx, query);
	const calendar = await ledgerCalendar(ctx.db);
	const converter = await openConverter(ctx.db, currency, query, calendar);
	const add = (rows: Iterable<SpendRow>) => ({ ...toSpend(rows), converted: toConverted(rows, converter, calendar) });
	const sums = await groupSums(ctx, query, { columns: SPEND_COLUMNS, add, size: (of) => of.totalMicroUsd, byDay: true });
	return { ...sums, rates: converter.view() };
}

type SpendRow = SumsRow<(typeof SPEND_COLUMNS)[number]>;

function toConverted(rows: Iterable<SpendRow>, { convert }: Converter, calendar: Calendar): ConvertedSpend {
	// Days at the ends of a range arrive as hours, so add them up by day first.
	const parts = new Map<string, { day: string; of: "ownedMicro" | "idleMicro" | "cloudMicro"; microUsd: bigint }>();
	for (const { key, effectiveMicroUsd, bucketStartMs, capacityType, idle } of rows) {
		const day = dayKey(bucketStartMs, calendar);
		const id = JSON.stringify([day, key, capacityType, idle]);
		const of = capacityType !== "owned" ? "cloudMicro" : idle ? "idleMicro" : "ownedMicro";
		parts.set(id, { day, of, microUsd: (parts.get(id)?.microUsd ?? 0n) + effectiveMicroUsd });
	}
	const sums = { ownedMicro: 0n, idleMicro: 0n, cloudMicro: 0n };
	for (const { day, of, microUsd } of parts.values()) sums[of] += convert(microUsd, day);
	return { ...sums, totalMicro: sums.ownedMicro + sums.idleMicro + sums.cloudMicro };
}
