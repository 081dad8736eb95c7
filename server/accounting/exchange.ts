import { SpillwayError } from "#server/kernel/errors.ts";
import { DAY_MS } from "#server/kernel/units.ts";

/** Number of decimals kept of a published rate. */
export const RATE_DIGITS = 10;
/** Older rates are rejected, so that a month of missing rate imports does not go unnoticed. */
export const RATE_AGE_DAYS_MAX = 31;

/** `units` of a currency were worth `usd` US dollars on a day; both times 10^RATE_DIGITS, as published and above 0. */
export interface ExchangeRate {
	/** e.g. `2026-11-26`. */
	date: string;
	units: bigint;
	usd: bigint;
	/** Where it was published. */
	source: string;
}

/** Converts with the rates of one currency. */
export interface Exchange {
	currency: string;
	/** In order of their dates. */
	rates: readonly ExchangeRate[];
}

/**
 * Converts micro-dollars to millionths of the currency, rounded half away from zero. Sums are built from converted
 * parts and never converted themselves, so that parts always add up to their total.
 */
export function convertMicroUsd(microUsd: bigint, { units, usd }: Pick<ExchangeRate, "units" | "usd">): bigint {
	const abs = microUsd < 0n ? -microUsd : microUsd;
	const rounded = (2n * abs * units + usd) / (2n * usd);
	return microUsd < 0n ? -rounded : rounded;
}

/**
 * The last published rate on or before a day: weekends and holidays use the last business day's.
 * @param day in the ledger's calendar, e.g. `2026-11-26`
 * @throws SpillwayError `conflict` with currency and day when there is none, or none within the last 31 days
 */
export function rateOn({ currency, rates }: Exchange, day: string): ExchangeRate {
	let [low, high] = [0, rates.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((rates[middle]?.date ?? "") <= day) low = middle + 1;
		else high = middle;
	}
	const found = rates[low - 1];
	if (found && Date.parse(day) - Date.parse(found.date) <= RATE_AGE_DAYS_MAX * DAY_MS) return found;
	const last = found ? ` The last one before it is of ${found.date}, more than ${RATE_AGE_DAYS_MAX} days earlier.` : "";
	throw new SpillwayError("conflict", `No exchange rate for ${currency} on ${day}.${last}`, {
		fields: [{ path: "currency", message: `needs a rate for ${currency} on or before ${day}` }],
		fix: "Import rates under Settings > Currency or with: spillway currency import FILE --message SOURCE. Or show the report in USD.",
	});
}

/** The rates used to convert a report. */
export interface RatesUsed {
	currency: string;
	/** Dates of the first and last rate used; null when nothing was converted. */
	from: string | null;
	to: string | null;
	sources: string[];
}

export interface Converter {
	/**
	 * Millionths of the currency.
	 * @param day in the ledger's calendar
	 * @throws SpillwayError as rateOn, except for amounts of 0
	 */
	convert(microUsd: bigint, day: string): bigint;
	/** In order of date. */
	used(): ExchangeRate[];
	view(): RatesUsed;
}

/** Converts amounts at the rate of their day, and records the rates. */
export function createConverter(exchange: Exchange): Converter {
	const byDay = new Map<string, ExchangeRate>();
	const used = () => [...new Set(byDay.values())].sort((a, b) => (a.date < b.date ? -1 : 1));
	return {
		convert(microUsd, day) {
			if (microUsd === 0n) return 0n;
			const rate = byDay.get(day) ?? rateOn(exchange, day);
			byDay.set(day, rate);
			return convertMicroUsd(microUsd, rate);
		},
		used,
		view() {
			const rates = used();
			const sources = [...new Set(rates.map(({ source }) => source))].sort();
			return { currency: exchange.currency, from: rates[0]?.date ?? null, to: rates.at(-1)?.date ?? null, sources };
		},
	};
}

/**
 * A decimal such as "1.0823" times 10^RATE_DIGITS; null for anything but a plain decimal above 0 with at most 10
 * digits on each side of the point.
 */
export function parseRate(text: string): bigint | null {
	const [, whole, fraction = ""] = /^(\d{1,10})(?:\.(\d{1,10}))?$/.exec(text) ?? [];
	if (whole === undefined) return null;
	const rate = BigInt(whole) * 10n ** BigInt(RATE_DIGITS) + BigInt(fraction.padEnd(RATE_DIGITS, "0"));
	return rate > 0n ? rate : null;
}

/** The exact decimal, without trailing zeros. */
export function formatRate(rate: bigint): string {
	const scale = 10n ** BigInt(RATE_DIGITS);
	const fraction = (rate % scale).toString().padStart(RATE_DIGITS, "0").replace(/0+$/, "");
	return fraction === "" ? `${rate / scale}` : `${rate / scale}.${fraction}`;
}
