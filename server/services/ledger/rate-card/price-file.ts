import { SpillwayError } from "#server/kernel/errors.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { readCsvTable } from "#server/services/core/csv-table.ts";
import { utcHourOf } from "#server/services/pricing/energy/intensity-file.ts";

/** Price of a kWh in one UTC hour. */
export interface PriceRow {
	hourMs: number;
	/** Below zero where the exchange pays buyers. */
	microUsdPerKwh: bigint;
}

/** Slightly more than a year. */
const PRICE_ROWS_MAX = 10_000;
/** Exchanges cap prices at about 5 per kWh; ten times that indicates a wrong unit. */
const USD_PER_KWH_MAX = 50;
const PRICE = /^(-?)(\d+(?:\.\d{1,6})?)$/;
/** Prices per MWh as exchanges publish them: three more decimal places are still exact in micro-dollars per kWh. */
const COLUMNS = { hour: ["ts", "hour", "datetime", "timestamp"], perKwh: ["usd_per_kwh"], perMwh: ["usd_per_mwh"] } as const;

/**
 * Reads hourly electricity prices from CSV: `ts` and `usd_per_kwh`, or `usd_per_mwh`. Hours are UTC; gaps are kept.
 * @throws SpillwayError `invalid_input` with the line, the error and how to fix it.
 */
export function readPriceFile(text: string): PriceRow[] {
	const { names: columns, lines } = readCsvTable(text, unusable);
	const names = columns.map((name) => name.toLowerCase());
	const indexOf = (column: keyof typeof COLUMNS) => names.findIndex((name) => (COLUMNS[column] as readonly string[]).includes(name));
	const [hour, perKwh, perMwh] = [indexOf("hour"), indexOf("perKwh"), indexOf("perMwh")];
	if (hour < 0 || perKwh < 0 === perMwh < 0) {
		const missing = hour < 0 ? "the hour (ts)" : "the price, which is one of usd_per_kwh and usd_per_mwh";
		throw unusable(`its header has no column for ${missing}`, `The first line names the columns; it is: ${names.join(", ").slice(0, 200)}`);
	}
	if (lines.length > PRICE_ROWS_MAX) throw unusable(`it has ${lines.length} hours, and ${PRICE_ROWS_MAX} is the most`, "Split it.");
	const byHour = new Map<number, { row: PriceRow; at: string }>();
	for (const { at, cells } of lines) {
		const price = (perKwh < 0 ? cells[perMwh] : cells[perKwh]) ?? "";
		if (price === "") continue;
		const row = { hourMs: hourOf(cells[hour] ?? "", at), microUsdPerKwh: priceOf(price, at, perKwh < 0 ? 1_000n : 1n) };
		const before = byHour.get(row.hourMs);
		if (before && before.row.microUsdPerKwh !== row.microUsdPerKwh)
			throw unusable(`${at} and ${before.at} give different prices for one hour`, "Keep the right one.");
		byHour.set(row.hourMs, { row, at });
	}
	if (byHour.size === 0) throw unusable("it has no hours", "Give a csv file with the columns ts and usd_per_kwh, or usd_per_mwh.");
	return [...byHour.values()].map(({ row }) => row).sort((a, b) => a.hourMs - b.hourMs);
}

function hourOf(text: string, at: string): number {
	const hourMs = utcHourOf(text);
	if (hourMs !== null) return hourMs;
	throw unusable(
		`${at}: "${text.slice(0, 40)}" is not the start of a UTC hour`,
		"Write it as 2026-11-01T08:00:00Z. Quarters of an hour have to be averaged to hours first.",
	);
}

/** To the nearest micro-dollar. */
function priceOf(text: string, at: string, per: bigint): bigint {
	const [, sign, amount] = PRICE.exec(text) ?? [];
	const micro = amount === undefined ? null : (2n * usdToMicro(amount) + per) / (2n * per);
	if (micro === null || micro > BigInt(USD_PER_KWH_MAX) * 1_000_000n)
		throw unusable(
			`${at}: "${text.slice(0, 40)}" is not a price in US dollars with at most six places, up to ${USD_PER_KWH_MAX} a kWh`,
			"Write it with a point, for example 0.0815 as usd_per_kwh or 81.5 as usd_per_mwh. Prices in another currency have to be converted first.",
		);
	return sign === "-" ? -micro : micro;
}

function unusable(what: string, fix: string): SpillwayError {
	return new SpillwayError("invalid_input", `Could not read the prices: ${what}.`, { fields: [{ path: "text", message: what }], fix });
}
