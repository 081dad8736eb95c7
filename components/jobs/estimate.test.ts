import { describe, expect, it } from "vitest";
import type { InstanceView, JobView, SiteView } from "#components/trpc/outputs.ts";
import { estimatedTotal, hourlyRates, progressOf } from "./estimate.ts";

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
		...some,
	}) as JobView;
const at = (siteId: string, capacityType: "owned" | "spot", poolId: string | null) =>
	({ siteId, capacityType, poolId }) as JobView["placement"];

describe("estimatedTotal", () => {
	it("4 GPUs × $2 × 2 h = $16 on owned GPUs, running or queued", () => {
		expect(estimatedTotal(job({ placement: at("hall-b", "owned", "h100"), attempts: 1 }), RATES)).toBe(16_000_000n);
		expect(estimatedTotal(job({ forecast: { p50Ms: 0, p90Ms: 0 } }), RATES)).toBe(16_000_000n);
	});

	it("2 machines × $10 × 2 h = $40 in a cloud", () => {
		expect(estimatedTotal(job({ id: "job_gang", placement: at("aws", "spot", null), attempts: 1 }), RATES)).toBe(40_000_000n);
	});

	it("after an interruption adds remaining work to the cost so far: $7 + $8/h × 0.5 h = $11", () => {
		const again = { placement: at("hall-b", "owned", "h100"), attempts: 2, costMicroUsd: "7000000", completedMs: 1.5 * HOUR };
		expect(estimatedTotal(job(again), RATES)).toBe(11_000_000n);
	});

	it("is at least the cost so far", () => {
		expect(estimatedTotal(job({ placement: at("hall-b", "owned", "h100"), attempts: 1, costMicroUsd: "17000000" }), RATES)).toBe(
			17_000_000n,
		);
	});

	it("is null without a price or an estimate", () => {
		expect(estimatedTotal(job({ placement: at("aws", "spot", null) }), RATES)).toBeNull();
		expect(estimatedTotal(job({ placement: at("hall-b", "owned", "h100"), estimateMs: null }), RATES)).toBeNull();
		expect(estimatedTotal(job({}), RATES)).toBeNull();
	});
});

describe("progressOf", () => {
	it("is run time over estimate in the first attempt, checkpointed work in later ones", () => {
		expect(progressOf(job({ attempts: 1, startedAt: new Date(0).toISOString() }), HOUR)).toBe(0.5);
		expect(progressOf(job({ attempts: 2, startedAt: new Date(0).toISOString(), completedMs: 0.2 * HOUR }), HOUR)).toBeCloseTo(0.1);
		expect(progressOf(job({ attempts: 1, startedAt: new Date(0).toISOString() }), 9 * HOUR)).toBe(1);
		expect(progressOf(job({ estimateMs: null }), HOUR)).toBeNull();
	});
});
