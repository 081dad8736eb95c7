import { type ChaosJob, CLOUDS, type Plan } from "./plan.ts";

const MINUTE_MS = 60_000;

/** The scenes for `npm run chaos -- --scene NAME`; `jobs` is the number of jobs. */
export const SCENES: Record<string, { plan(jobs: number): Plan; jobs: number }> = { "two-hundred": { plan: fullHouse, jobs: 200 } };

/**
 * The owned site is full, and every job bursts: policy rules send a third to each cloud, half of them to spot capacity.
 * Providers occasionally run out of capacity, throttle, lose responses, reclaim spot machines and lose a region.
 */
function fullHouse(jobs: number): Plan {
	return {
		...{
			seed: 0,
			clouds: [...CLOUDS],
			move: null,
			cut: null,
			homeSlots: 2,
			schedulerProcess: null,
			machinesMax: Math.min(MACHINES_MAX, Math.ceil(jobs / 2)),
		},
		jobs: Array.from({ length: jobs }, (_, i) => jobOf(i)),
		kills: [],
		faults: [
			{ kind: "no_capacity", times: 4, durationMs: 30_000 },
			{ kind: "throttled", times: 1, durationMs: 0 },
			{ kind: "launch_answer_lost", times: 1, durationMs: 0 },
			{ kind: "terminate_answer_lost", times: 1, durationMs: 0 },
			{ kind: "slow_boot", times: 2, durationMs: 20_000 },
		],
		interruptions: Array.from({ length: Math.max(2, Math.ceil(jobs / 20)) }, (_, i) => ({ machine: i, afterMs: 200 })),
		outage: { cloud: "gcp", region: 0, atMs: jobs * 50, forMs: jobs * 100 },
		patienceMs: 30 * MINUTE_MS,
	};
}

/** As many concurrent agents as a small computer can handle. */
const MACHINES_MAX = 16;

function jobOf(i: number): ChaosJob {
	const [cloud] = [CLOUDS[i % CLOUDS.length] ?? "aws"];
	const work = { lines: 10 + (i % 7) * 5, everyMs: 60, checkpoints: i % 2 === 0, spot: i % 4 < 2 };
	return { name: `job-${i + 1}`, ...work, cloud, deadlineInMs: 6 * 60 * MINUTE_MS };
}
