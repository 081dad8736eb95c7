import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseWithDeadline } from "#server/scheduling/spot-guarantee/choose-with-deadline.ts";
import { priorModel } from "#server/scheduling/spot-guarantee/learner.ts";
import { SpotOptimum } from "./spot-optimum.ts";
import { runJob, type SpotTerms, type ZoneFeed } from "./spot-run.ts";

const M = 60_000;
const H = 60 * M;

/** A changeover of one probe interval, so that every useful choice lies on the grid of probes. */
const terms: SpotTerms = { workMs: 4 * M, bootMs: M, restoreMs: 0, checkpointEveryMs: 100 * M, spotPrice: 0.3 };

/** Exhaustive search: at each probe nothing, on-demand or any zone that is up; the lowest cost of finishing in time. */
function bruteForce(zones: readonly Uint8Array[], tick: number, left: number, on: number, starting: number, timeLeft: number): number {
	if (left === 0) return 0;
	if (timeLeft < left) return Number.POSITIVE_INFINITY;
	let best = bruteForce(zones, tick + 1, left, -2, 0, timeLeft - 1);
	for (let place = -1; place < zones.length; place++) {
		if (place >= 0 && zones[place]?.[tick] !== 1) continue;
		const boot = place === on ? starting : 1;
		const price = place === -1 ? 1 : 0.3;
		best = Math.min(best, price + bruteForce(zones, tick + 1, boot > 0 ? left : left - 1, place, Math.max(0, boot - 1), timeLeft - 1));
	}
	return best;
}

const zone = fc.array(fc.constantFrom(0, 1), { minLength: 12, maxLength: 12 }).map((ups) => Uint8Array.from(ups));

describe("perfect foresight", () => {
	it("equals the exhaustive search on small traces of one and two zones", () => {
		fc.assert(
			fc.property(fc.array(zone, { minLength: 1, maxLength: 2 }), fc.integer({ min: 5, max: 9 }), (zones, deadline) => {
				const expected = bruteForce(zones, 0, 4, -2, 0, deadline);
				const cost = new SpotOptimum(zones, M, terms).cost(0, deadline / 4);
				expect((cost * H) / M).toBeCloseTo(expected, 9);
			}),
			{ numRuns: 150 },
		);
	});

	it("is never more expensive than the rule, with changeovers that are no multiple of the probe interval", () => {
		const odd: SpotTerms = { workMs: 3 * H, bootMs: 4 * M, restoreMs: 3 * M, checkpointEveryMs: 15 * M, spotPrice: 0.3 };
		const long = fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 8 })), { minLength: 20, maxLength: 20 });
		fc.assert(
			fc.property(long, fc.constantFrom(1.15, 1.25, 1.5), (runs, factor) => {
				const up = Uint8Array.from(runs.flatMap(([on, off]) => [...Array(on).fill(1), ...Array(off).fill(0)]));
				const feed: ZoneFeed = {
					up,
					at: (tick) => ({ id: "a", microUsdPerHour: 300_000, up: up[tick] === 1, ageMs: 0, model: priorModel() }),
				};
				const run = runJob([feed], 10 * M, 0, factor, odd, chooseWithDeadline);
				expect(run.missed).toBe(false);
				expect(new SpotOptimum([up], 10 * M, odd).cost(0, factor)).toBeLessThanOrEqual(run.cost + 1e-9);
			}),
			{ numRuns: 60 },
		);
	});
});

describe("one run", () => {
	const feedOf = (ups: readonly number[]): ZoneFeed => ({
		up: Uint8Array.from(ups),
		at: (tick) => ({ id: "a", microUsdPerHour: 300_000, up: ups[tick] === 1, ageMs: 0, model: priorModel() }),
	});

	it("bills the changeover, from launch to end: 48 h on on-demand cost 48 h 7 min", () => {
		const long: SpotTerms = { workMs: 48 * H, bootMs: 4 * M, restoreMs: 3 * M, checkpointEveryMs: 15 * M, spotPrice: 0.3 };
		const run = runJob([feedOf([])], 10 * M, 0, 1.1, long, () => ({ on: "on_demand" }));
		expect(run).toEqual({ cost: 48 + 7 / 60, missed: false, starts: 1 });
	});

	it("loses the work after the last checkpoint: 33 min of work on spot leave 30 saved", () => {
		const short: SpotTerms = { workMs: 60 * M, bootMs: 4 * M, restoreMs: 3 * M, checkpointEveryMs: 15 * M, spotPrice: 0.3 };
		const left: number[] = [];
		const run = runJob([feedOf([1, 1, 1, 1, 0, 0])], 10 * M, 0, 3, short, (state) => {
			left.push(state.workLeftMs / M);
			return state.zones[0]?.up ? { on: "spot", zoneId: "a" } : { on: "on_demand" };
		});
		expect(left.slice(0, 5)).toEqual([60, 60, 60, 45, 30]);
		expect(run.cost).toBeCloseTo((40 * 0.3 + 37) / 60, 9);
	});
});
