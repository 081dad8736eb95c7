import { assert } from "#server/kernel/assert.ts";
import { seededRandom } from "#server/kernel/random.ts";
import { HOUR_MS, SECOND_MS } from "#server/kernel/units.ts";
import type { TraceJob } from "#server/simulation/replay/types.ts";

/**
 * Synthetic traces of any length, with the marginals of the Philly trace (Microsoft 2017, the extract of 82,247 jobs that Pollux and Sia
 * use): how often jobs request each number of GPUs, and the quantiles of their run time, which grows with the GPUs. Sizes under 0.1% of the
 * jobs are left out. Computed from the trace in 2026; rounded to 3 digits.
 */
const SIZES: readonly { gpus: number; share: number; runTimesS: readonly number[] }[] = [
	{ gpus: 1, share: 0.932, runTimesS: [30, 52, 62, 122, 1117, 2716, 8512, 19_100, 135_000, 864_000, 3_260_000] },
	{ gpus: 2, share: 0.022, runTimesS: [5, 9, 11, 16, 21, 76, 72_400, 197_000, 510_000, 1_460_000, 2_580_000] },
	{ gpus: 4, share: 0.023, runTimesS: [35, 75, 136, 772, 17_400, 89_300, 184_000, 274_000, 907_000, 2_420_000, 2_750_000] },
	{ gpus: 8, share: 0.02, runTimesS: [33, 125, 216, 1871, 23_700, 173_000, 350_000, 526_000, 1_050_000, 2_660_000, 4_630_000] },
	{ gpus: 16, share: 0.003, runTimesS: [4, 36, 51, 380, 52_500, 164_000, 341_000, 506_000, 1_150_000, 1_370_000, 1_710_000] },
];
/** Quantiles of the run times above. */
const SHARES = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1] as const;
/** Jobs of each team, from the trace's groups; the last one combines four small ones. */
const TEAM_SHARES = [0.501, 0.196, 0.121, 0.09, 0.024, 0.018, 0.017, 0.014, 0.009, 0.005, 0.005] as const;
const TEAMS = TEAM_SHARES.map((_, i) => `team-${i}`);
/** Shared by all jobs, which saves memory in long traces. */
const UNSET = { user: null, accelerators: [], deadlineMs: null, deadlineKind: null, status: null, limitMs: null };
/** Arrivals by hour of the day relative to their mean: the trace's minimum and maximum are 0.62 and 1.96. */
const DAY_SWING = 0.5;

export interface SyntheticTrace {
	jobs: number;
	ownedGpus: number;
	/** Requested GPU time ÷ owned GPU time from the first submission to the last. Philly on 384 GPUs: 0.97. */
	load: number;
	seed: number;
}

/**
 * Arrivals are a Poisson process with a daily swing, drawn so that the load is as requested, whatever the number of jobs: as much runs
 * concurrently in a long trace as in a short one. The trace's own bursts (hundreds of jobs in a minute) are not included. The same
 * arguments give the same jobs.
 */
export function syntheticTrace({ jobs: count, ownedGpus, load, seed }: SyntheticTrace): TraceJob[] {
	assert(count > 0 && ownedGpus > 0 && load > 0, "a synthetic trace needs jobs, owned GPUs and a load above 0");
	const random = seededRandom(`${seed}/synthetic`);
	const jobs: TraceJob[] = [];
	let [elapsed, gpuMs] = [0, 0];
	for (let i = 0; i < count; i++) {
		const { gpus, runTimesS } = drawBy(SIZES, ({ share }) => share, random.next());
		const durationMs = Math.max(SECOND_MS, Math.round(runTimeS(runTimesS, random.next())) * SECOND_MS);
		const team = drawBy(TEAM_SHARES, (share) => share, random.next());
		elapsed -= Math.log(1 - random.next());
		gpuMs += gpus * durationMs;
		jobs.push({ id: `s${i}`, submitMs: elapsed, durationMs, gpus, team: TEAMS[TEAM_SHARES.indexOf(team)] ?? "", ...UNSET });
	}
	const spanMs = gpuMs / (load * ownedGpus);
	for (const job of jobs) job.submitMs = Math.round(swung((job.submitMs / elapsed) * spanMs));
	return jobs;
}

function drawBy<T>(items: readonly T[], shareOf: (item: T) => number, at: number): T {
	const total = items.reduce((sum, item) => sum + shareOf(item), 0);
	let left = at * total;
	for (const item of items) {
		left -= shareOf(item);
		if (left < 0) return item;
	}
	const last = items.at(-1);
	assert(last !== undefined, "something to draw from");
	return last;
}

/** Linear in the logarithm between the quantiles; constant below the first. */
function runTimeS(quantiles: readonly number[], at: number): number {
	const i = SHARES.findIndex((share) => share > at);
	const [high, low] = [quantiles[i] ?? quantiles.at(-1) ?? 1, quantiles[i - 1] ?? quantiles[0] ?? 1];
	const [to, from] = [SHARES[i] ?? 1, SHARES[i - 1] ?? 0];
	return low * (high / low) ** ((at - from) / (to - from));
}

/** Maps uniform arrival time to time with a daily swing about its mean. */
function swung(evenMs: number): number {
	const day = 24 * HOUR_MS;
	const phase = ((evenMs % day) / day) * 2 * Math.PI;
	return evenMs + (DAY_SWING * day * Math.sin(phase)) / (2 * Math.PI);
}
