import { SECOND_MS } from "#server/kernel/units.ts";
import { quantile } from "#server/simulation/replay/series.ts";
import type { JobColumns } from "../history/columns.ts";
import type { PlanAssessment, WaitGroup, Waits } from "../types.ts";

/** Size groups of the wait list: one GPU, part of a node, a node of 8, several nodes. */
const SIZES: readonly { name: string; upTo: number }[] = [
	{ name: "1 GPU", upTo: 1 },
	{ name: "2 to 4 GPUs", upTo: 4 },
	{ name: "5 to 8 GPUs", upTo: 8 },
	{ name: "9 to 32 GPUs", upTo: 32 },
	{ name: "more than 32 GPUs", upTo: Number.POSITIVE_INFINITY },
];

/** Waits of all jobs and by group. @param waitsMs by row, NaN where unknown. */
export function waitsBy(jobs: JobColumns, waitsMs: Float64Array): Omit<PlanAssessment["waits"], "basis"> {
	const size = (i: number): number => SIZES.findIndex(({ upTo }) => jobs.at(jobs.gpus, i) <= upTo);
	return {
		all: summary(known(waitsMs)),
		byTeam: grouped(waitsMs, jobs.teams.list, (i) => jobs.at(jobs.team, i)).sort((a, b) => b.jobs - a.jobs || compare(a.name, b.name)),
		byClass: grouped(waitsMs, jobs.classes.list, (i) => jobs.at(jobs.workloadClass, i)),
		bySize: grouped(
			waitsMs,
			SIZES.map(({ name }) => name),
			size,
		),
	};
}

function grouped(waitsMs: Float64Array, names: readonly string[], groupOf: (i: number) => number): WaitGroup[] {
	const counts = new Int32Array(names.length);
	for (let i = 0; i < waitsMs.length; i++) if (!Number.isNaN(waitsMs[i])) bump(counts, groupOf(i));
	const values = Array.from(counts, (n) => new Float64Array(n));
	counts.fill(0);
	for (let i = 0; i < waitsMs.length; i++) {
		const wait = waitsMs[i] ?? Number.NaN;
		if (Number.isNaN(wait)) continue;
		const g = groupOf(i);
		const list = values[g];
		if (list) list[bump(counts, g)] = wait;
	}
	return values.flatMap((list, g) => (list.length === 0 ? [] : [{ name: names[g] ?? "", ...summary(list) }]));
}

/** Increments a count and returns its previous value. */
function bump(counts: Int32Array, i: number): number {
	const before = counts[i] ?? 0;
	counts[i] = before + 1;
	return before;
}

function known(waitsMs: Float64Array): Float64Array {
	return waitsMs.filter((wait) => !Number.isNaN(wait));
}

function summary(waitsMs: Float64Array): Waits {
	const sorted = waitsMs.sort();
	let sum = 0;
	for (const wait of sorted) sum += wait;
	return {
		jobs: sorted.length,
		meanS: seconds(sorted.length === 0 ? 0 : sum / sorted.length),
		p50S: seconds(quantile(sorted, 0.5)),
		p95S: seconds(quantile(sorted, 0.95)),
	};
}

function seconds(ms: number): number {
	return Math.round(ms / SECOND_MS);
}

export function compare(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
