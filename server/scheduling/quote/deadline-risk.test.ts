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

describe("the chance that a deadline is missed", () => {
	it("is none or certain where nothing is uncertain", () => {
		expect(missShare(run(), HOUR_MS)).toBe(0);
		expect(missShare(run(), HOUR_MS - 1)).toBe(1);
		expect(missShare(run(), -1)).toBe(1);
	});

	it("is what the forecast says: half at the P50, one in ten at the P90", () => {
		const waits = run({ start: { p50Ms: 30 * MINUTE_MS, p90Ms: 2 * HOUR_MS }, workMsAt: () => 0 });
		expect(missShare(waits, 30 * MINUTE_MS)).toBeCloseTo(0.5, 2);
		expect(missShare(waits, 2 * HOUR_MS)).toBeCloseTo(0.1, 2);
		const works = run({ workMsAt: (share) => logNormalAt({ p50Ms: HOUR_MS, p90Ms: 3 * HOUR_MS }, share) });
		expect(missShare(works, HOUR_MS)).toBeCloseTo(0.5, 2);
		expect(missShare(works, 3 * HOUR_MS)).toBeCloseTo(0.1, 2);
	});

	it("takes wait and work as independent: two even shares of an hour each end after 1.5 h in one of eight", () => {
		const both = run({ start: AT_ONCE, workMsAt: (share) => share * HOUR_MS });
		expect(missShare(both, 0.75 * HOUR_MS)).toBeCloseTo(0.25, 2);
		// The start of a log-normal wait of a median hour and the work, both at their middle: more than half are later than neither.
		const late = run({
			start: { p50Ms: HOUR_MS, p90Ms: 2 * HOUR_MS },
			workMsAt: (share) => logNormalAt({ p50Ms: HOUR_MS, p90Ms: 2 * HOUR_MS }, share),
		});
		const alone = missShare(late, 2 * HOUR_MS);
		expect(alone).toBeGreaterThan(0.5);
		expect(alone).toBeLessThan(0.62);
	});

	it("is e^-1 to be done in time of a run without checkpoints that is interrupted once in its length on average", () => {
		// No time for a second try: it is in time only when no interruption comes.
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

	it("is certain where work cannot get on between interruptions", () => {
		expect(missShare(run({ workMsAt: () => 40 * HOUR_MS, interruptionsPerHour: 2 }), 1_000 * HOUR_MS)).toBe(1);
	});
});
