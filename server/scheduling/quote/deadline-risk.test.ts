import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { logNormalAt, missShare, type RiskyRun } from "./deadline-risk.ts";

const AT_ONCE = { p50Ms: 0, p90Ms: 0 };
const run = (part: Partial<RiskyRun> = {}): RiskyRun => ({
	start: AT_ONCE,
	workMsAt: () => HOUR_MS,
	interruptionsPerHour: 0,
	checkpointEveryMs: null,
	changeoverMs: 0,
	...part,
});

describe("the chance of missing a deadline", () => {
	it("is zero or one when nothing is uncertain", () => {
		expect(missShare(run(), HOUR_MS)).toBe(0);
		expect(missShare(run(), HOUR_MS - 1)).toBe(1);
		expect(missShare(run(), -1)).toBe(1);
	});

	it("matches the forecast: half at the P50, one in ten at the P90", () => {
		const waits = run({ start: { p50Ms: 30 * MINUTE_MS, p90Ms: 2 * HOUR_MS }, workMsAt: () => 0 });
		expect(missShare(waits, 30 * MINUTE_MS)).toBeCloseTo(0.5, 2);
		expect(missShare(waits, 2 * HOUR_MS)).toBeCloseTo(0.1, 2);
		const works = run({ workMsAt: (share) => logNormalAt({ p50Ms: HOUR_MS, p90Ms: 3 * HOUR_MS }, share) });
		expect(missShare(works, HOUR_MS)).toBeCloseTo(0.5, 2);
		expect(missShare(works, 3 * HOUR_MS)).toBeCloseTo(0.1, 2);
	});

	it("treats wait and work as independent: two uniform shares of an hour each end after 1.5 h in one of eight", () => {
		const both = run({ start: AT_ONCE, workMsAt: (share) => share * HOUR_MS });
		expect(missShare(both, 0.75 * HOUR_MS)).toBeCloseTo(0.25, 2);
		// A log-normal wait with a median of one hour and the work, both at their median: more than half the sums are later.
		const late = run({
			start: { p50Ms: HOUR_MS, p90Ms: 2 * HOUR_MS },
			workMsAt: (share) => logNormalAt({ p50Ms: HOUR_MS, p90Ms: 2 * HOUR_MS }, share),
		});
		const alone = missShare(late, 2 * HOUR_MS);
		expect(alone).toBeGreaterThan(0.5);
		expect(alone).toBeLessThan(0.62);
	});

	it("is e^-1 for finishing in time without checkpoints at one interruption per run length on average", () => {
		// There is no time for a second try, so it is in time only without any interruption.
		const once = run({ interruptionsPerHour: 1, changeoverMs: 10 * HOUR_MS });
		expect(1 - missShare(once, HOUR_MS)).toBeCloseTo(Math.exp(-1), 1);
	});

	it("falls with checkpoints, and with a later deadline", () => {
		const spot = run({ workMsAt: () => 4 * HOUR_MS, interruptionsPerHour: 0.5, changeoverMs: 6 * MINUTE_MS });
		const saved = { ...spot, checkpointEveryMs: 15 * MINUTE_MS };
		const at = (r: RiskyRun) => [4.5, 5, 6, 8].map((hours) => missShare(r, hours * HOUR_MS));
		expect(at(saved)).toEqual(at(saved).toSorted((a, b) => b - a));
		expect(at(spot)).toEqual(at(spot).toSorted((a, b) => b - a));
		for (const [i, share] of at(saved).entries()) expect(share).toBeLessThan(at(spot)[i] ?? 0);
		// Two interruptions are expected, 13.5 minutes each: 4 h 27 min on average.
		expect(missShare(saved, 4.45 * HOUR_MS)).toBeGreaterThan(0.3);
		expect(missShare(saved, 4.45 * HOUR_MS)).toBeLessThan(0.6);
	});

	it("is certain when work makes no progress between interruptions", () => {
		expect(missShare(run({ workMsAt: () => 40 * HOUR_MS, interruptionsPerHour: 2 }), 1_000 * HOUR_MS)).toBe(1);
	});
});
