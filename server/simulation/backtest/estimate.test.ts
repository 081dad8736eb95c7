import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { estimateOf } from "./estimate.ts";
import type { BacktestHalf, JobOutcome } from "./replay-half.ts";
import { aHistory, aHistoryJob, FROM_MS } from "./testing/small.ts";

const HOURS = 8;
const jobs = Array.from({ length: HOURS }, (_, i) => aHistoryJob(`j${i}`, { afterMs: i * HOUR_MS }));
const history = aHistory({ jobs, toMs: FROM_MS + HOURS * HOUR_MS });

/** One outcome for each job, by its hour. */
function half(of: (hour: number) => { usd: number; waitMs: number | null }): BacktestHalf {
	const outcome = (hour: number): JobOutcome => {
		const { usd, waitMs } = of(hour);
		return {
			...{ place: null, accelerator: null, finishedAtMs: null, emissionsGrams: null, explanation: "" },
			costMicroUsd: BigInt(usd * 1e6),
			firstStartMs: waitMs === null ? null : FROM_MS + hour * HOUR_MS + waitMs,
		};
	};
	return { courses: new Map(jobs.map(({ id }, i) => [id, outcome(i)])), replaySeconds: 0 } as unknown as BacktestHalf;
}

describe("an estimate from 8 of 80 jobs, one an hour", () => {
	const published = half(() => ({ usd: 3, waitMs: 10 * MINUTE_MS }));

	it("scales $3 and $5 a job to $240 and $400, with no error when all jobs change alike", () => {
		const draft = half(() => ({ usd: 5, waitMs: 4 * MINUTE_MS }));
		expect(estimateOf(history, { published, draft }, 80)).toEqual({
			...{ fromMs: FROM_MS, jobs: 8, ofJobs: 80, costErrorMicroUsd: "0", waitErrorMs: 0 },
			...{ publishedCostMicroUsd: "240000000", draftCostMicroUsd: "400000000" },
			...{ publishedMeanWaitMs: 10 * MINUTE_MS, draftMeanWaitMs: 4 * MINUTE_MS },
		});
	});

	it("is off by 10 × 2 × √(8 × 2² × 8/7) = $121 when every other job saves $4", () => {
		const draft = half((hour) => ({ usd: hour % 2 ? 3 : -1, waitMs: 10 * MINUTE_MS }));
		const estimate = estimateOf(history, { published, draft }, 80);
		expect(Number(estimate?.draftCostMicroUsd)).toBe(80_000_000);
		expect(Number(estimate?.costErrorMicroUsd) / 1e6).toBeCloseTo(20 * Math.sqrt((8 * 4 * 8) / 7), 4);
		expect(estimate?.waitErrorMs).toBe(0);
	});

	it("counts a job that has not started as waiting until the end", () => {
		const draft = half((hour) => ({ usd: 3, waitMs: hour === 7 ? null : 10 * MINUTE_MS }));
		expect(estimateOf(history, { published, draft }, 80)?.draftMeanWaitMs).toBe((7 * 10 * MINUTE_MS + HOUR_MS) / 8);
	});

	it("has no error with jobs in fewer than four of eight parts, and is null without jobs", () => {
		const early = { ...history, jobs: jobs.slice(0, 3) };
		expect(estimateOf(early, { published, draft: published }, 80)).toMatchObject({ jobs: 3, costErrorMicroUsd: null, waitErrorMs: null });
		expect(estimateOf({ ...history, jobs: [] }, { published, draft: published }, 80)).toBeNull();
	});
});
