import type { DurationBook } from "#server/scheduling/forecast/duration-book.ts";
import type { JobRecord } from "./records.ts";

/** A finished run is added to the history from which the core learns run times. */
export function addRun(book: DurationBook, row: JobRecord): void {
	if (row.startedAtMs === null || row.finishedAtMs === null) return;
	book.add({ spec: row.spec, durationMs: row.finishedAtMs - row.startedAtMs });
}
