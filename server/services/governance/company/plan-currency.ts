import { formatRate, parseRate } from "#server/accounting/exchange.ts";
import type { CompanySpec } from "#server/domain/company-schema.ts";
import { defined } from "#server/kernel/assert.ts";
import { saveRates } from "#server/services/pricing/currency/import-rates.ts";
import { batchRates } from "#server/services/pricing/currency/rate-batches.ts";
import { storedRates } from "#server/services/pricing/currency/rates.ts";
import { reportingCurrency, setReportingCurrency } from "#server/services/pricing/currency/reporting-currency.ts";
import { type CompanyContext, differences, type PlanPart } from "./change.ts";

type Rate = NonNullable<CompanySpec["exchangeRates"]>[number];

/** Rates come before the currency, which needs one. Rates missing in the file stay, also with `--prune`. */
export async function planCurrency(ctx: CompanyContext, { currency, exchangeRates = [] }: CompanySpec): Promise<PlanPart> {
	const rates = exchangeRates.map((rate) => ({ ...rate, rate: formatRate(defined(parseRate(rate.rate), "a checked rate")) }));
	const known = await storedRates(ctx.db, rates);
	const before = new Map(known.map(({ currency: code, date, units, usd }) => [`${code} ${date}`, usd === "1" ? units : `${units}/${usd}`]));
	const changed = rates.filter((rate) => before.get(`${rate.currency} ${rate.date}`) !== rate.rate);
	const fields = changed.flatMap((rate) => {
		const key = `${rate.currency} ${rate.date}`;
		return differences({ [key]: before.get(key) }, { [key]: rate.rate });
	});
	const current = await reportingCurrency(ctx.db);
	return {
		changes: [
			...(changed.length === 0
				? []
				: [
						{
							kind: "company" as const,
							id: "exchange-rates",
							action: "update" as const,
							fields,
							apply: (at: CompanyContext) => save(at, changed),
						},
					]),
			...(currency === undefined || currency === current
				? []
				: [
						{
							...{ kind: "company" as const, id: "company", action: "update" as const },
							fields: differences({ currency: current }, { currency }),
							apply: (at: CompanyContext) => setReportingCurrency(at, { currency }),
						},
					]),
		],
		skipped: [],
		problems: [],
	};
}

async function save(ctx: CompanyContext, rates: readonly Rate[]): Promise<void> {
	for (const [source, rows] of Map.groupBy(rates, (rate) => rate.source))
		await saveRates(ctx, batchRates(rows.map(({ currency, date, rate }) => ({ currency, date, units: rate, usd: "1" }))), source);
}
