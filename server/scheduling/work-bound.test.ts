import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { boundedWorkMs } from "./work-bound.ts";

const HOURS = 2 * HOUR_MS;

describe("the work that a deadline is protected for", () => {
	it("is a known length if it fits, and nothing if it does not", () => {
		const known = { p50Ms: HOURS, p90Ms: HOURS };
		expect(boundedWorkMs(known, null, HOURS)).toBe(HOURS);
		expect(boundedWorkMs(known, null, HOURS - 1)).toBeNull();
	});

	it("excludes lengths that miss the deadline wherever they run", () => {
		const wide = { p50Ms: HOURS, p90Ms: 5 * HOURS };
		const [tight = 0, ample = 0] = [1.1 * HOURS, 100 * HOURS].map((withinMs) => boundedWorkMs(wide, null, withinMs) ?? 0);
		expect(tight).toBeLessThan(1.1 * HOURS);
		expect(ample / (5 * HOURS)).toBeCloseTo(1, 1);
	});

	it("counts a deadline as lost when hardly any length meets it", () => {
		expect(boundedWorkMs({ p50Ms: 10 * HOURS, p90Ms: 15 * HOURS }, null, HOURS)).toBeNull();
		expect(boundedWorkMs({ p50Ms: HOURS, p90Ms: HOURS }, null, 0)).toBeNull();
	});

	it("never exceeds the time left, and never falls when more is left", () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 1e9 }),
				fc.double({ min: 1, max: 20, noNaN: true }),
				fc.integer({ min: 1, max: 1e10 }),
				(p50Ms, spread, withinMs) => {
					const rest = { p50Ms, p90Ms: p50Ms * spread };
					const bound = boundedWorkMs(rest, null, withinMs);
					if (bound === null) return;
					expect(bound).toBeLessThanOrEqual(withinMs);
					expect(boundedWorkMs(rest, null, withinMs * 1.5) ?? 0).toBeGreaterThanOrEqual(bound * (1 - 1e-6));
				},
			),
		);
	});
});
