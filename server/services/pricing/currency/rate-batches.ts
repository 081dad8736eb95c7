import { defined } from "#server/kernel/assert.ts";
import { type RateRow, readRateFile } from "./rate-file.ts";

/** Rates as sent to the database. Text, because copying 400,000 row objects from a worker thread is slow. */
export interface RateBatches {
	/** By name. */
	currencies: string[];
	/** Dates of the oldest and the newest rate. */
	from: string;
	to: string;
	/** `json` is an array of `rows` RateRows. */
	batches: { rows: number; json: string }[];
}

/** Rows per INSERT. */
const BATCH_ROWS = 10_000;

/** The rates of a file. @throws SpillwayError `invalid_input` as readRateFile */
export function readRateBatches(text: string): RateBatches {
	return batchRates(readRateFile(text));
}

/** @param rows at least one, each currency and date once */
export function batchRates(rows: readonly RateRow[]): RateBatches {
	const dates = [...new Set(rows.map(({ date }) => date))].sort();
	const batches: RateBatches["batches"] = [];
	for (let at = 0; at < rows.length; at += BATCH_ROWS) {
		const part = rows.slice(at, at + BATCH_ROWS);
		batches.push({ rows: part.length, json: JSON.stringify(part) });
	}
	return {
		currencies: [...new Set(rows.map(({ currency }) => currency))].sort(),
		...{ from: defined(dates[0], "a rate"), to: defined(dates.at(-1), "a rate"), batches },
	};
}
