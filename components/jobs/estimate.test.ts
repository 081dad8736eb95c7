import { describe, expect, it } from "vitest";
import type { InstanceView, JobView, SiteView } from "#components/trpc/outputs.ts";
import { estimatedTotal, hourlyRates, progressOf, workOf } from "./estimate.ts";

const HOUR = 3_600_000;
const sites = [
	{ id: "hall-b", kind: "owned", enabled: true, pools: [{ id: "h100", microUsdPerGpuHour: "2000000" }] },
	{ id: "aws", kind: "cloud", enabled: true, pools: [] },
] as unknown as SiteView[];
const instances = [
	{ jobId: "job_gang", microUsdPerHour: "10000000" },
	{ jobId: "job_gang", microUsdPerHour: "10000000" },
] as unknown as InstanceView[];
const RATES = hourlyRates(sites, instances);
const job = (some: Partial<JobView>): JobView =>
	({
		id: "job_1",
		gpus: 4,
		placement: null,
		forecast: null,
		attempts: 0,
		costMicroUsd: "0",
		estimateMs: 2 * HOUR,
		completedMs: 0,
		startedAt: null,
		expected: null,
		...some,
	}) as JobView;
const at = (siteId: string, capacityType: "owned" | "spot", poolId: string | null) =>
	({ siteId, capacityType, poolId }) as JobView["placement"];

const live = (some: Partial<NonNullable<JobView["expected"]>>): JobView["expected"] => ({
	...{ totalMicroUsd: "16000000", workMs: 2 * HOUR, beganAt: new Date(0).toISOString(), beforeMs: 0 },
	...some,
});

describe("estimatedTotal", () => {
	it("is the placing decision's estimate, and at least the cost so far", () => {
		expect(estimatedTotal(job({ expected: live({}), placement: at("aws", "spot", null) }), RATES)).toBe(16_000_000n);
		expect(estimatedTotal(job({ expected: live({}), costMicroUsd: "17000000" }), RATES)).toBe(17_000_000n);
	});

	it("while queued for owned GPUs is 4 GPUs × $2 × 2 h = $16, without checkpointed work and with earlier attempts", () => {
		expect(estimatedTotal(job({ forecast: { p50Ms: 0, p90Ms: 0 } }), RATES)).toBe(16_000_000n);
		const again = { forecast: { p50Ms: 0, p90Ms: 0 }, attempts: 1, costMicroUsd: "7000000", completedMs: 1.5 * HOUR };
		expect(estimatedTotal(job(again), RATES)).toBe(11_000_000n);
	});

	it("is null without a price or an estimate", () => {
		expect(estimatedTotal(job({}), RATES)).toBeNull();
		expect(estimatedTotal(job({ forecast: { p50Ms: 0, p90Ms: 0 }, estimateMs: null }), RATES)).toBeNull();
	});
});

describe("progressOf", () => {
	it("is the run time of the live attempt plus its saved work, over the expected run time", () => {
		expect(progressOf(job({ expected: live({}) }), HOUR)).toBe(0.5);
		expect(progressOf(job({ expected: live({ beforeMs: HOUR / 2, beganAt: null }) }), HOUR)).toBe(0.25);
		expect(progressOf(job({ expected: live({}) }), 9 * HOUR)).toBe(1);
		expect(workOf(job({ expected: live({}) }), 9 * HOUR)).toEqual({ doneMs: 9 * HOUR, workMs: 2 * HOUR });
	});

	it("is checkpointed work over the estimate while queued, null without one", () => {
		expect(progressOf(job({ attempts: 2, completedMs: 0.2 * HOUR }), HOUR)).toBeCloseTo(0.1);
		expect(progressOf(job({ estimateMs: null }), HOUR)).toBeNull();
	});
});
