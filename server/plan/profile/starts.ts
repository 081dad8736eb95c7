import { defaultScenario } from "#server/simulation/replay/default-scenario.ts";
import { replay } from "#server/simulation/replay/replay.ts";
import type { ReplayPool, TraceJob } from "#server/simulation/replay/types.ts";
import type { JobColumns } from "../history/columns.ts";

/** Largest history that is replayed for its waits: larger ones would take minutes and gigabytes. */
export const SIMULATED_JOBS_MAX = 200_000;

/** Recorded waits by row, NaN where one is missing; null: fewer than half of the jobs have one. */
export function recordedWaits(jobs: JobColumns): Float64Array | null {
	let known = 0;
	for (let i = 0; i < jobs.length; i++) if (!Number.isNaN(jobs.at(jobs.waitMs, i))) known++;
	return known * 2 >= jobs.length ? jobs.waitMs.slice(0, jobs.length) : null;
}

/** Waits on this many owned GPUs alone, first come first served with backfill (replay/strategies/owned-backfill.ts). NaN: never fits. */
export function simulatedWaits(
	jobs: JobColumns,
	pool: Omit<ReplayPool, "id" | "siteId" | "nodes" | "gpusPerNode" | "speed">,
	gpus: number,
): Float64Array {
	const waits = new Float64Array(jobs.length).fill(Number.NaN);
	const trace = Array.from({ length: jobs.length }, (_, i) => traceJob(jobs, i)).filter((job) => job.gpus <= gpus);
	if (trace.length === 0) return waits;
	const scenario = defaultScenario({
		...{ ownedGpus: gpus, pool, offers: [], boardWatts: {}, grid: new Map(), spotTraces: [], startMs: 0, seed: 1 },
	});
	replay(
		trace,
		scenario,
		{ name: "owned_backfill", policy: null },
		{
			onRun: ({ run, why }) => {
				if (why === "finished") waits[Number(run.job.id)] = run.commandAtMs - run.job.submittedAtMs;
			},
		},
	);
	return waits;
}

function traceJob(jobs: JobColumns, i: number): TraceJob {
	return {
		...{ id: String(i), submitMs: jobs.at(jobs.submitMs, i), durationMs: jobs.at(jobs.durationMs, i), gpus: jobs.at(jobs.gpus, i) },
		...{ team: "", user: null, accelerators: [], deadlineMs: null, deadlineKind: null, status: null, limitMs: null },
	};
}

/** Peak of concurrent GPUs, by recorded starts; 0 without them. */
export function recordedPeak(jobs: JobColumns, waitsMs: Float64Array): number {
	const events: { starts: Float64Array; ends: Float64Array } = {
		starts: new Float64Array(jobs.length),
		ends: new Float64Array(jobs.length),
	};
	const order = new Uint32Array(jobs.length);
	let n = 0;
	for (let i = 0; i < jobs.length; i++) {
		const wait = waitsMs[i] ?? Number.NaN;
		if (Number.isNaN(wait)) continue;
		events.starts[i] = jobs.at(jobs.submitMs, i) + wait;
		events.ends[i] = (events.starts[i] ?? 0) + jobs.at(jobs.durationMs, i);
		order[n++] = i;
	}
	const byStart = order.slice(0, n).sort((a, b) => (events.starts[a] ?? 0) - (events.starts[b] ?? 0));
	const byEnd = order.slice(0, n).sort((a, b) => (events.ends[a] ?? 0) - (events.ends[b] ?? 0));
	let [running, peak, e] = [0, 0, 0];
	for (const i of byStart) {
		while (e < n && (events.ends[byEnd[e] ?? 0] ?? 0) <= (events.starts[i] ?? 0)) running -= jobs.at(jobs.gpus, byEnd[e++] ?? 0);
		running += jobs.at(jobs.gpus, i);
		peak = Math.max(peak, running);
	}
	return peak;
}
