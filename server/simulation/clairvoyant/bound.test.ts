import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { usdToMicro } from "#server/kernel/money.ts";
import { cases } from "#server/kernel/testing/deep.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { anOffer, aPool } from "#server/scheduling/testing/builders.ts";
import type { TraceJob } from "../replay/types.ts";
import { type ClairvoyantInput, clairvoyantBound } from "./bound.ts";

/** Whole hours throughout, so the best schedule can be found by trying them all. */
interface SmallJob {
	release: number;
	length: number;
	gpus: number;
	/** Due this many hours after release + length; null: no deadline. */
	slack: number | null;
}

const HORIZON = 9;

function traceJob(job: SmallJob, i: number): TraceJob {
	return {
		id: `j${i}`,
		submitMs: job.release * HOUR_MS,
		durationMs: job.length * HOUR_MS,
		gpus: job.gpus,
		team: "t",
		user: null,
		accelerators: [],
		deadlineMs: job.slack === null ? null : (job.length + job.slack) * HOUR_MS,
		deadlineKind: job.slack === null ? null : "strict",
		status: null,
		limitMs: null,
	};
}

/** One dollar per GPU-hour. */
function scenarioOf(owned: number): ClairvoyantInput["scenario"] {
	return {
		pools: [{ ...aPool({ nodes: 1, gpusPerNode: owned }), speed: 1 }],
		offers: [anOffer({ usd: usdOf(2), gpus: 2 })],
		prices: new Map(),
		availability: new Map(),
		startMs: 0,
	};
}

function usdOf(dollars: number): string {
	return (Number(usdToMicro(dollars)) / 1e6).toFixed(2);
}

/** The fewest cloud GPU-hours of any schedule that starts every job on a whole hour and never stops it. */
function bruteForce(jobs: readonly SmallJob[], owned: number, allowed: (delays: readonly number[]) => boolean): number {
	let best = Number.POSITIVE_INFINITY;
	const used = new Array<number>(HORIZON + 4).fill(0);
	const place = (i: number, cost: number, delays: number[]): void => {
		if (cost >= best) return;
		const job = jobs[i];
		if (!job) {
			if (allowed(delays)) best = cost;
			return;
		}
		for (let start = job.release; start + job.length <= HORIZON; start++) {
			const delay = start - job.release;
			if (job.slack !== null && delay > job.slack) break;
			place(i + 1, cost + job.gpus * job.length, [...delays, delay]);
			const hours = Array.from({ length: job.length }, (_, n) => start + n);
			if (hours.some((h) => (used[h] ?? 0) + job.gpus > owned)) continue;
			for (const h of hours) used[h] = (used[h] ?? 0) + job.gpus;
			place(i + 1, cost, [...delays, delay]);
			for (const h of hours) used[h] = (used[h] ?? 0) - job.gpus;
		}
	};
	place(0, 0, []);
	return best;
}

const smallJob = fc.record({
	release: fc.integer({ min: 0, max: 3 }),
	length: fc.integer({ min: 1, max: 2 }),
	gpus: fc.integer({ min: 1, max: 2 }),
});
const bound = (jobs: readonly SmallJob[], owned: number, totalDelayHours: number | null, buckets = 12) =>
	clairvoyantBound({ jobs: jobs.map(traceJob), scenario: scenarioOf(owned), totalDelayHours, buckets });

describe("the clairvoyant bound", () => {
	it("never exceeds the cost of the best schedule with the same total delay", async () => {
		const input = fc.tuple(
			fc.array(smallJob, { minLength: 1, maxLength: 4 }),
			fc.integer({ min: 1, max: 3 }),
			fc.integer({ min: 0, max: 4 }),
			fc.integer({ min: 2, max: 15 }),
		);
		await fc.assert(
			fc.asyncProperty(input, async ([some, owned, delay, buckets]) => {
				const jobs = some.map((job) => ({ ...job, slack: null }));
				const best = bruteForce(jobs, owned, (delays) => delays.reduce((a, b) => a + b, 0) <= delay);
				expect((await bound(jobs, owned, delay, buckets)).cloudGpuHours).toBeLessThanOrEqual(best + 1e-6);
			}),
			{ numRuns: cases(20, 60) },
		);
	});

	it("never exceeds the cost of the best schedule that meets the strict deadlines", async () => {
		const input = fc.tuple(
			fc.array(fc.tuple(smallJob, fc.option(fc.integer({ min: 0, max: 3 }))), { minLength: 1, maxLength: 4 }),
			fc.integer({ min: 1, max: 3 }),
		);
		await fc.assert(
			fc.asyncProperty(input, async ([some, owned]) => {
				const jobs = some.map(([job, slack]) => ({ ...job, slack }));
				const strict = jobs.filter((job) => job.slack !== null);
				expect((await bound(jobs, owned, null)).cloudGpuHours).toBeLessThanOrEqual(bruteForce(strict, owned, () => true) + 1e-6);
			}),
			{ numRuns: cases(20, 60) },
		);
	});

	it("3 GPUs needed for 2 h with 1 owned and no delay: 2 × 2 = 4 GPU-hours at $1 = $4, minus what the buckets blur", async () => {
		const jobs = [1, 1, 1].map((gpus) => ({ release: 0, length: 2, gpus, slack: null }));
		const [coarse, fine] = [await bound(jobs, 1, 0, 4), await bound(jobs, 1, 0, 400)];
		expect(coarse.cloudCostUsd).toBeLessThan(fine.cloudCostUsd);
		expect(fine.cloudCostUsd).toBeGreaterThan(3.95);
		expect(fine.cloudCostUsd).toBeLessThanOrEqual(4 + 1e-6);
		expect(fine.kept).toBe("total_delay");
	});

	it("two strict jobs of 2 h on 1 GPU, both due after 3 h: 4 − 3 = 1 GPU-hour must be bought, because jobs may be split", async () => {
		const jobs = [1, 1].map((gpus) => ({ release: 0, length: 2, gpus, slack: 1 }));
		expect((await bound(jobs, 1, null, 3)).cloudGpuHours).toBeCloseTo(1, 6);
	});

	it("uses the lowest price of each hour: $1 on spot in the first, $3 on demand in the second, $2 after a change in the third", async () => {
		const offers = [anOffer({ id: "spot", capacityType: "spot", usd: "2", gpus: 2 }), anOffer({ id: "firm", usd: "6", gpus: 2 })];
		const hours = { traceId: "t", startsMs: [0, HOUR_MS], available: [true, false], lengthMs: 9 * HOUR_MS, offsetMs: 0 };
		const scenario = {
			...scenarioOf(0),
			offers,
			availability: new Map([["spot", hours]]),
			prices: new Map([["firm", [{ atMs: 2 * HOUR_MS, microUsdPerHour: usdToMicro("4") }]]]),
		};
		const jobs = [traceJob({ release: 0, length: 3, gpus: 2, slack: null }, 0)];
		const { cloudCostUsd, cloudGpuHours } = await clairvoyantBound({ jobs, scenario, totalDelayHours: 0, buckets: 300 });
		expect(cloudGpuHours).toBeCloseTo(6, 1);
		expect(cloudCostUsd).toBeGreaterThan(11.9);
		expect(cloudCostUsd).toBeLessThanOrEqual(2 * (1 + 3 + 2) + 1e-6);
	});

	it("costs nothing when all jobs fit at home", async () => {
		expect((await bound([{ release: 0, length: 2, gpus: 1, slack: null }], 1, 0)).cloudCostUsd).toBe(0);
		expect((await bound([], 1, 0)).cloudCostUsd).toBe(0);
	});

	it("explains what to do when nothing has a price", async () => {
		const scenario = { ...scenarioOf(1), offers: [anOffer({ usd: null })] };
		await expect(clairvoyantBound({ jobs: [], scenario, totalDelayHours: 0 })).rejects.toThrow(/No offer of the scenario has a price/);
	});
});
