import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { availableUntil, isAvailable } from "./availability.ts";
import { rentOf } from "./billing.ts";
import { makeGridOver } from "./emissions.ts";
import { EventQueue } from "./event-queue.ts";
import { HomeNodes } from "./home-nodes.ts";
import { shapeOf } from "./job.ts";
import { anAvailability, aReplayOffer, aReplayPool, START_MS } from "./testing/small.ts";

describe("the event queue", () => {
	it("returns the earliest event first, and events of one time in scheduling order", () => {
		fc.assert(
			fc.property(fc.array(fc.integer({ min: 0, max: 5 })), (times) => {
				const queue = new EventQueue<{ at: number; i: number }>();
				for (const [i, at] of times.entries()) queue.push(at, { at, i });
				const got = times.map(() => queue.pop());
				expect(got).toEqual(times.map((at, i) => ({ at, i })).sort((a, b) => a.at - b.at || a.i - b.i));
				expect(queue.pop()).toBeUndefined();
			}),
		);
	});
});

describe("availability", () => {
	it("repeats a trace and finds the next change at the first moment with a different value", () => {
		fc.assert(
			fc.property(
				fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 }),
				fc.integer({ min: 0, max: 30 }),
				fc.integer({ min: 0, max: 60 }),
				(hours, offset, at) => {
					const trace = { ...anAvailability(...hours), offsetMs: offset * HOUR_MS };
					const all = Array.from({ length: 120 }, (_, h) => isAvailable(trace, h * HOUR_MS));
					const found = all.findIndex((up, h) => h >= at && !up);
					const next = found < 0 ? Number.POSITIVE_INFINITY : found * HOUR_MS;
					expect(availableUntil(trace, at * HOUR_MS)).toBe(next);
				},
			),
		);
	});
});

describe("rent", () => {
	const offer = aReplayOffer("o", { usd: "3.6" });

	it("is split at month ends, and its parts add up", () => {
		const byMonth = new Map<number, bigint>();
		const fromMs = Date.UTC(2026, 0, 31, 23, 30);
		const total = rentOf({ prices: new Map() }, { offer, instances: 2, fromMs, toMs: fromMs + HOUR_MS }, (m, c) => byMonth.set(m, c));
		expect(total).toBe(7_200_000n);
		expect([...byMonth]).toEqual([
			[2026 * 12, 3_600_000n],
			[2026 * 12 + 1, 3_600_000n],
		]);
	});

	it("follows the price, and each start costs at least the minimum billed time", () => {
		const prices = new Map([["o", [{ atMs: START_MS + HOUR_MS, microUsdPerHour: 7_200_000n }]]]);
		expect(rentOf({ prices }, { offer, instances: 1, fromMs: START_MS, toMs: START_MS + 2 * HOUR_MS }, () => {})).toBe(10_800_000n);
		const minimum = { ...offer, billedMinimumMs: 60_000 };
		expect(rentOf({ prices: new Map() }, { offer: minimum, instances: 1, fromMs: START_MS, toMs: START_MS + 1000 }, () => {})).toBe(
			60_000n,
		);
	});
});

describe("the grid", () => {
	it("repeats an hourly series from the start and interpolates within its hours", () => {
		const over = makeGridOver({ startMs: START_MS, grid: new Map([["p", [100, 300]]]) });
		const at = (hours: number): number => START_MS + hours * HOUR_MS;
		expect(over("p", null, at(0), at(2))).toBe(400);
		expect(over("p", null, at(0.5), at(1.5))).toBe(200);
		expect(over("p", null, at(3), at(6))).toBe(700);
		expect(over("other", 50, at(0), at(2))).toBe(100);
		expect(over("other", null, at(0), at(2))).toBeNull();
	});
});

describe("slots", () => {
	it("takes the fullest node that holds the job, lowest slots first", () => {
		const nodes = new HomeNodes(aReplayPool({ nodes: 3 }));
		nodes.take([8, 9, 10]);
		expect(nodes.fit(1, 4)).toEqual([1]);
		expect(nodes.slotsOn([1], 4)).toEqual([11, 12, 13, 14]);
		expect(nodes.fit(1, 6)).toEqual([0]);
		expect(nodes.fit(3, 5)).toEqual([1, 0, 2]);
		expect(nodes.fit(3, 6)).toBeNull();
		nodes.release([8, 9, 10]);
		expect(nodes.freeSlots()).toHaveLength(24);
	});

	it("rejects a slot that is taken, or released twice", () => {
		const nodes = new HomeNodes(aReplayPool());
		nodes.take([0]);
		expect(() => nodes.take([0])).toThrow("given twice");
		nodes.release([0]);
		expect(() => nodes.release([0])).toThrow("released twice");
	});

	it("splits 12 GPUs on nodes of 8 into two nodes of 6", () => {
		expect([shapeOf(8, 8), shapeOf(12, 8), shapeOf(20, 8)]).toEqual([
			{ nodes: 1, gpusPerNode: 8 },
			{ nodes: 2, gpusPerNode: 6 },
			{ nodes: 3, gpusPerNode: 7 },
		]);
	});
});
