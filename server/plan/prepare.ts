import { DAY_MS } from "#server/kernel/units.ts";
import { ACCELERATOR_NAMES } from "#server/rates/accelerators.ts";
import { ownedRate } from "#server/rates/owned.ts";
import type { TraceJob } from "#server/simulation/replay/types.ts";
import { DEFAULT_ACCELERATOR } from "./candidates/prices.ts";
import { JobColumns } from "./history/columns.ts";
import { DEFAULT_START_MS, type History, rowOf } from "./history/read-history.ts";

/** A trace's jobs as a history, for a profile next to their replays. `startMs`: UTC ms of the trace's 0, if known. */
export function historyOf(
	trace: { jobs: readonly TraceJob[]; format: History["format"]; notes: History["notes"] },
	startMs: number | null,
): History {
	const jobs = new JobColumns();
	for (const job of trace.jobs) jobs.add(rowOf(job));
	const { format, notes } = trace;
	return {
		...{ format, jobs, notes, startMs: startMs ?? DEFAULT_START_MS, isStartKnown: startMs !== null },
		badRows: { count: notes.badRows, first: [] },
	};
}

/** The jobs of the last days before the last submission; all of them without a limit. */
export function keepLastDays(jobs: readonly TraceJob[], days: number | undefined): TraceJob[] {
	if (days === undefined) return [...jobs];
	const last = jobs.at(-1)?.submitMs ?? 0;
	return jobs.filter((job) => job.submitMs >= last - days * DAY_MS);
}

/** The model that most jobs name and that has a price on the shipped card, else A100-80GB. */
export function ownedModel(jobs: readonly TraceJob[]): string {
	const counts = new Map<string, number>();
	for (const { accelerators } of jobs) for (const name of accelerators) counts.set(name, (counts.get(name) ?? 0) + 1);
	const priced = ACCELERATOR_NAMES.filter((name) => counts.has(name) && ownedRate(name) !== null);
	return priced.reduce<string>((best, name) => ((counts.get(name) ?? 0) > (counts.get(best) ?? 0) ? name : best), DEFAULT_ACCELERATOR);
}
