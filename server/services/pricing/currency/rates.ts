import { and, asc, desc, eq, gte, lte, sql } from "drizzle-orm";
import type { z } from "zod";
import { dayKey } from "#server/accounting/calendar.ts";
import { type Converter, createConverter, formatRate, parseRate, RATE_AGE_DAYS_MAX, RATE_DIGITS } from "#server/accounting/exchange.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import { listRatesInput } from "#server/contract/inputs/currency.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { exchangeRate } from "#server/db/schema/exchange-rate.ts";
import { defined } from "#server/kernel/assert.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";

export interface RateView {
	currency: string;
	date: string;
	/** Units for one US dollar, rounded to ten decimals. */
	rate: string;
	/** As published: this many units for this many dollars. */
	units: string;
	usd: string;
	source: string;
	importedBy: string;
	importedAt: Date;
}

/** Newest date first. @throws SpillwayError `forbidden`; ZodError */
export async function listRates(ctx: Pick<ServiceContext, "actor" | "db">, raw: z.input<typeof listRatesInput>): Promise<RateView[]> {
	authorize(ctx, "rates:read", null);
	const { currency, from, to, limit } = listRatesInput.parse(raw);
	const rows = await ctx.db
		.select()
		.from(exchangeRate)
		.where(
			and(
				currency === undefined ? undefined : eq(exchangeRate.currency, currency),
				from === undefined ? undefined : gte(exchangeRate.date, from),
				to === undefined ? undefined : lte(exchangeRate.date, to),
			),
		)
		.orderBy(desc(exchangeRate.date), asc(exchangeRate.currency))
		.limit(limit);
	return rows.map((row) => ({ ...row, rate: perDollar(scaled(row.units), scaled(row.usd)) }));
}

/** The stored rates of the same currencies and dates, as decimals without trailing zeros. */
export async function storedRates(
	db: DbOrTx,
	of: readonly { currency: string; date: string }[],
): Promise<{ currency: string; date: string; units: string; usd: string }[]> {
	if (of.length === 0) return [];
	const wanted = sql`select currency, date from jsonb_to_recordset(${JSON.stringify(of)}::jsonb) as given(currency text, date date)`;
	const rows = await db
		.select({ currency: exchangeRate.currency, date: exchangeRate.date, units: exchangeRate.units, usd: exchangeRate.usd })
		.from(exchangeRate)
		.where(sql`(${exchangeRate.currency}, ${exchangeRate.date}) in (${wanted})`);
	return rows.map((row) => ({ ...row, units: formatRate(scaled(row.units)), usd: formatRate(scaled(row.usd)) }));
}

/** Every currency that has rates, sorted by name. */
export async function ratedCurrencies(db: DbOrTx): Promise<{ currency: string; rates: number; from: string; to: string }[]> {
	return db
		.select({
			currency: exchangeRate.currency,
			rates: sql<number>`count(*)`.mapWith(Number),
			from: sql<string>`min(${exchangeRate.date})::text`,
			to: sql<string>`max(${exchangeRate.date})::text`,
		})
		.from(exchangeRate)
		.groupBy(exchangeRate.currency)
		.orderBy(asc(exchangeRate.currency));
}

/** A converter with the rates for a range of the ledger's calendar. It rejects days without a rate. */
export async function openConverter(
	db: DbOrTx,
	currency: string,
	{ fromMs, toMs }: { fromMs: number; toMs: number },
	calendar: Calendar,
): Promise<Converter> {
	const from = dayKey(fromMs - (RATE_AGE_DAYS_MAX + 1) * DAY_MS, calendar);
	const rows = await db
		.select({ date: exchangeRate.date, units: exchangeRate.units, usd: exchangeRate.usd, source: exchangeRate.source })
		.from(exchangeRate)
		.where(and(eq(exchangeRate.currency, currency), gte(exchangeRate.date, from), lte(exchangeRate.date, dayKey(toMs, calendar))))
		.orderBy(asc(exchangeRate.date));
	return createConverter({ currency, rates: rows.map((row) => ({ ...row, units: scaled(row.units), usd: scaled(row.usd) })) });
}

const scaled = (text: string): bigint => defined(parseRate(text), "a stored rate");

function perDollar(units: bigint, usd: bigint): string {
	const scale = 10n ** BigInt(RATE_DIGITS);
	return formatRate((2n * units * scale + usd) / (2n * usd));
}
