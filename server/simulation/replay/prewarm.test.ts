import { describe, expect, it } from "vitest";
import { sampled } from "#server/kernel/testing/deep.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { replay, SPILLWAY } from "./replay.ts";
import { replayWithSeries } from "./replay-with-series.ts";
import { aBusyScenario, anAvailability, aReplayOffer, aReplayPolicy, aScenario, aTraceJob } from "./testing/small.ts";
import type { ReplayScenario } from "./types.ts";

const ALL_HOURS = 'hours: { days: [mon, tue, wed, thu, fri, sat, sun], from: "00:00", to: "24:00" }';
const cloudOnly = (given: Partial<ReplayScenario> = {}) => aScenario({ pools: [], offers: [aReplayOffer("od", { usd: "8" })], ...given });
const policyWith = (fields: string) =>
	aReplayPolicy(`
    - { id: now, burst: { always: true } }
    - { id: kept, prewarm: { machines: 1, accelerator: A100-80GB, gpus: 8, ${fields} } }`);

function waitsOf(fields: string, secondAtMinute: number, scenario = cloudOnly()) {
	const jobs = [aTraceJob("a", { gpus: 8 }), aTraceJob("b", { gpus: 8, submitMs: secondAtMinute * MINUTE_MS })];
	const waits: Record<string, number> = {};
	const onRun = ({ run }: { run: { job: { id: string; submittedAtMs: number }; commandAtMs: number } }): void => {
		waits[run.job.id] = (run.commandAtMs - run.job.submittedAtMs) / 1000;
	};
	const report = replay(jobs, scenario, { name: SPILLWAY, policy: policyWith(fields) }, { onRun });
	return { waits, report };
}

describe("machines kept ready, by hand", () => {
	// A machine is launched at the first review after job a was seen, at minute 5. Job a ends at minute 64.
	it("starts a job on a running machine after the handover", () => {
		const { waits, report } = waitsOf(`state: running, idleMinutes: 120, monthlyUsd: 1000, ${ALL_HOURS}`, 120);
		expect(waits).toEqual({ a: 240, b: 15 });
		expect(report.keptWarmUsd).toBeCloseTo((115 / 60) * 8, 3);
		expect(report.cloudCostUsd).toBeCloseTo(((64 + 60.25 + 115) / 60) * 8, 3);
	});

	it("starts a stopped machine, which costs a boot and its disk", () => {
		const { waits, report } = waitsOf(`monthlyUsd: 1000, ${ALL_HOURS}`, 120);
		expect(waits).toEqual({ a: 240, b: 90 });
		// $20 a month, in a month of 744 hours.
		expect(report.keptWarmUsd).toBeCloseTo((4 / 60) * 8 + (115 / 60 / 744) * 20, 3);
	});

	it("ends a machine by itself at the idle limit, and does not replace it", () => {
		const { waits, report } = waitsOf(`state: running, idleMinutes: 30, monthlyUsd: 1000, ${ALL_HOURS}`, 180);
		expect(waits).toEqual({ a: 240, b: 240 });
		expect(report.keptWarmUsd).toBeCloseTo(((35 + 31) / 60) * 8, 3);
	});

	it("keeps nothing outside the hours, in the scenario's time zone", () => {
		const hours = 'hours: { days: [mon], from: "01:00", to: "02:00" }';
		const rule = `state: running, idleMinutes: 120, monthlyUsd: 1000, ${hours}`;
		expect(waitsOf(rule, 90).waits["b"]).toBe(15);
		expect(waitsOf(rule, 130).waits["b"]).toBe(240);
		expect(waitsOf(rule, 90, cloudOnly({ timeZone: "Asia/Tokyo" })).waits["b"]).toBe(240);
	});

	it("never launches or keeps what the month's budget does not cover", () => {
		// Worst cases at the on-demand price of $40: 120 minutes idle and 5 until the next review; for a launch 4 more of boot.
		const keptUsd = (monthlyUsd: number) =>
			waitsOf(`state: running, idleMinutes: 120, monthlyUsd: ${monthlyUsd}, ${ALL_HOURS}`, 120).report.keptWarmUsd;
		expect(keptUsd(83)).toBe(undefined);
		expect(keptUsd(85)).toBeCloseTo((56 / 60) * 8, 3);
		expect(keptUsd(86)).toBeCloseTo((115 / 60) * 8, 3);
	});

	it("keeps a job's machine once when two rules have room for it", () => {
		const kept = (id: string) =>
			`- { id: ${id}, prewarm: { machines: 1, accelerator: A100-80GB, gpus: 8, state: running, idleMinutes: 120, monthlyUsd: 85, ${ALL_HOURS} } }`;
		const policy = aReplayPolicy(`
    - { id: now, burst: { always: true } }
    ${kept("one")}
    ${kept("two")}`);
		const jobs = [aTraceJob("a", { gpus: 8 }), aTraceJob("b", { gpus: 8, submitMs: 2 * HOUR_MS })];
		expect(replay(jobs, cloudOnly(), { name: SPILLWAY, policy }).keptWarmUsd).toBeCloseTo((56 / 60) * 8, 3);
	});

	it("does not start a stopped machine while its capacity is unavailable", () => {
		const offers = [aReplayOffer("spot", { usd: "4", type: "spot" }), aReplayOffer("od", { usd: "8" })];
		const availability = new Map([["spot", anAvailability(1.9, 10)]]);
		const { waits, report } = waitsOf(`monthlyUsd: 1000, ${ALL_HOURS}`, 120, cloudOnly({ offers, availability }));
		expect(report.refusals).toBeGreaterThan(0);
		expect(waits["b"]).toBeGreaterThanOrEqual(240);
	});

	it("reclaims a running machine with its spot capacity", () => {
		const scenario = cloudOnly({
			offers: [aReplayOffer("spot", { usd: "4", type: "spot" })],
			availability: new Map([["spot", anAvailability(1.5, 1, 100)]]),
		});
		const { report } = waitsOf(`state: running, idleMinutes: 600, monthlyUsd: 10000, ${ALL_HOURS}`, 200, scenario);
		// Minutes 5 to 90, then from a launch at minute 150 or at one of the next reviews.
		expect(report.keptWarmUsd).toBeGreaterThan((85 / 60) * 4 - 0.001);
		expect(report.keptWarmUsd).toBeLessThan(((85 + 50) / 60) * 4 + 0.001);
	});
});

describe("machines kept ready over busy days", () => {
	const rules = (monthlyUsd: number, state: string): string =>
		`    - { id: kept, prewarm: { machines: 3, accelerator: A100-80GB, gpus: 8, state: ${state}, monthlyUsd: ${monthlyUsd}, waitingUsdPerGpuHour: 50 } }`;
	const policy = (kept: string) => aReplayPolicy(`\n    - { id: now, burst: { always: true } }\n${kept}`);

	it.each(sampled([1, 2, 3, 4], 2))("finishes every job within the budget, with the money of each day (seed %i)", (seed) => {
		const { jobs, scenario } = aBusyScenario(seed);
		for (const state of ["stopped", "running"]) {
			for (const monthlyUsd of [5, 60, 2_000]) {
				const report = replayWithSeries(jobs, scenario, { name: SPILLWAY, policy: policy(rules(monthlyUsd, state)) });
				expect(report.jobsDone).toBe(jobs.length);
				expect(report.keptWarmUsd ?? 0).toBeLessThanOrEqual(monthlyUsd);
				const days = report.series?.days.flatMap((day) => Object.values(day.cloudCostUsdByCapacityType)) ?? [];
				expect(days.reduce((sum, usd) => sum + usd, 0)).toBeCloseTo(report.cloudCostUsd, 1);
			}
		}
	});

	it("shortens the waits of jobs that burst", () => {
		const HOURS = 24 * 7;
		const jobs = Array.from({ length: HOURS }, (_, i) =>
			aTraceJob(`j${i}`, { gpus: 8, submitMs: i * HOUR_MS, durationMs: 20 * MINUTE_MS }),
		);
		const without = replay(jobs, cloudOnly(), { name: SPILLWAY, policy: policy("") });
		const kept = replay(jobs, cloudOnly(), { name: SPILLWAY, policy: policy(rules(500, "stopped")) });
		expect(without).toMatchObject({ burstJobs: HOURS, p95BurstWaitS: 240 });
		expect(kept.meanWaitS).toBeLessThan(0.6 * without.meanWaitS);
		expect(kept.cloudCostUsd).toBeLessThan(1.03 * without.cloudCostUsd);
	});
});
