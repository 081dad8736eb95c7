import { formatRate, parseRate } from "#server/accounting/exchange.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { readCsvTable } from "#server/services/core/csv-table.ts";

/** One row of exchange_rate, without its source. */
export interface RateRow {
	currency: string;
	date: string;
	/** This many units of the currency equal this many US dollars; exact decimals without trailing zeros. */
	units: string;
	usd: string;
}

/** Enough for all ECB currencies over 30 years. */
const RATE_ROWS_MAX = 400_000;
const CURRENCY = /^[A-Z]{3}$/;
const MONTHS = "january february march april may june july august september october november december".split(" ");

/**
 * Reads exchange rates from CSV: `date,currency,rate` with the units of the currency for one US dollar, or the reference rates
 * that the European Central Bank publishes (eurofxref.csv and eurofxref-hist.csv: a column for each currency, for one euro).
 * For these, the USD column converts each row exactly to rates per dollar. `N/A` and empty cells are skipped.
 * @throws SpillwayError `invalid_input` with the line, the error and how to fix it.
 */
export function readRateFile(text: string): RateRow[] {
	const { names, lines } = readCsvTable(text, unusable);
	const lower = names.map((name) => name.toLowerCase());
	const isPlain = ["date", "currency", "rate"].every((name) => lower.includes(name));
	if (!isPlain && !(lower[0] === "date" && names.includes("USD")))
		throw unusable(
			"its header is neither date,currency,rate nor that of the ECB (Date,USD,JPY,…)",
			`The first line names the columns; it is: ${names.join(",").slice(0, 200)}`,
		);
	const read = isPlain ? plainRow(lower) : ecbRow(names);
	const rows = new Map<string, RateRow>();
	for (const { at, cells } of lines) {
		for (const row of read(cells, at)) {
			const key = `${row.currency} ${row.date}`;
			const before = rows.get(key);
			if (before && (before.units !== row.units || before.usd !== row.usd))
				throw unusable(`${at} has another rate for ${row.currency} on ${row.date} than an earlier line`, "Keep the right one.");
			rows.set(key, row);
		}
		if (rows.size > RATE_ROWS_MAX) throw unusable(`it has more than ${RATE_ROWS_MAX} rates`, "Split it.");
	}
	if (rows.size === 0) throw unusable("it has no rates", "Add lines such as 2026-11-26,EUR,0.9239 under the header date,currency,rate.");
	return [...rows.values()];
}

type ReadRow = (cells: readonly string[], at: string) => RateRow[];

function plainRow(names: readonly string[]): ReadRow {
	const [date, currency, rate] = ["date", "currency", "rate"].map((name) => names.indexOf(name)) as [number, number, number];
	return (cells, at) => {
		const code = cells[currency] ?? "";
		if (!CURRENCY.test(code) || code === "USD")
			throw unusable(
				`${at}: "${code.slice(0, 20)}" is not a currency to convert to`,
				"Use an ISO 4217 code such as EUR. The ledger is in USD.",
			);
		return [{ currency: code, date: dateOf(cells[date] ?? "", at), units: rateOf(cells[rate] ?? "", at), usd: "1" }];
	};
}

function ecbRow(names: readonly string[]): ReadRow {
	const usd = names.indexOf("USD");
	const currencies = names.flatMap((name, index) => (index > 0 && name !== "USD" && CURRENCY.test(name) ? [{ name, index }] : []));
	return (cells, at) => {
		const date = dateOf(cells[0] ?? "", at);
		const dollars = rateOf(cells[usd] ?? "", at);
		const others = currencies.flatMap(({ name, index }) => {
			const cell = cells[index] ?? "";
			return cell === "" || cell === "N/A" ? [] : [{ currency: name, date, units: rateOf(cell, at), usd: dollars }];
		});
		return [{ currency: "EUR", date, units: "1", usd: dollars }, ...others];
	};
}

/** `2026-11-26`, or `26 November 2026` as in eurofxref.csv. */
function dateOf(text: string, at: string): string {
	const [, day = "", month = "", year = ""] = /^(\d{1,2}) ([A-Za-z]+) (\d{4})$/.exec(text) ?? [];
	const number = MONTHS.indexOf(month.toLowerCase()) + 1;
	const date = number > 0 ? `${year}-${String(number).padStart(2, "0")}-${day.padStart(2, "0")}` : text;
	const isDate = /^(19|20)\d\d-\d\d-\d\d$/.test(date) && new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date);
	if (isDate) return date;
	throw unusable(`${at}: "${text.slice(0, 40)}" is not a date`, "Write it as 2026-11-26.");
}

function rateOf(text: string, at: string): string {
	const rate = parseRate(text);
	if (rate !== null) return formatRate(rate);
	throw unusable(
		`${at}: "${text.slice(0, 40)}" is not a rate above 0 with at most ten decimals`,
		"Write it with a point and without a sign, for example 0.9239.",
	);
}

function unusable(what: string, fix: string): SpillwayError {
	return new SpillwayError("invalid_input", `Could not read the exchange rates: ${what}.`, {
		fields: [{ path: "text", message: what }],
		fix,
	});
}
