import type { DurationBook } from "#server/scheduling/forecast/duration-book.ts";
import type { JobRecord } from "./records.ts";

/** A run that came to its end is told to the history that the core learns run times from. */
export function addRun(book: DurationBook, row: JobRecord): void {
	if (row.startedAtMs === null || row.finishedAtMs === null) return;
	book.add({ spec: row.spec, durationMs: row.finishedAtMs - row.startedAtMs });
}
