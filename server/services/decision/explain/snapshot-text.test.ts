import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decide } from "#server/scheduling/decide.ts";
import { anySnapshot } from "#server/scheduling/testing/arbitrary.ts";
import { canonicalJson, firstDifference } from "./canonical-json.ts";
import { partsOf } from "./input-parts.ts";
import { dataOf, textOf } from "./snapshot-text.ts";

describe("a snapshot as text", () => {
	it("is restored unchanged, and decides the same", () => {
		fc.assert(
			fc.property(anySnapshot, (snapshot) => {
				const withForecasts = {
					...snapshot,
					forecastScale: { steps: [{ untilMs: Number.POSITIVE_INFINITY, p50: 1.5, p90: 2 }] },
					offerRecords: new Map([["x", { atMs: 1, instanceHours: 1, interruptions: 0, refusals: 0, launches: 1 }]]),
				};
				const back = dataOf(textOf(withForecasts)) as typeof withForecasts;
				expect(back).toEqual(withForecasts);
				expect(canonicalJson(decide(back).explanations)).toBe(canonicalJson(decide(withForecasts).explanations));
			}),
			{ numRuns: 50 },
		);
	});

	it("has the same parts whatever the order of its lists, and others when anything differs", () => {
		fc.assert(
			fc.property(anySnapshot, (snapshot) => {
				const turned = {
					...snapshot,
					offers: snapshot.offers.toReversed(),
					pending: snapshot.pending.toReversed(),
					running: snapshot.running.toReversed(),
				};
				expect(partsOf(turned).hash).toBe(partsOf(snapshot).hash);
				expect(partsOf({ ...snapshot, nowMs: snapshot.nowMs + 1 }).hash).not.toBe(partsOf(snapshot).hash);
				const [first] = snapshot.pending;
				if (first)
					expect(partsOf({ ...snapshot, pending: [{ ...first, completedMs: 7 }, ...snapshot.pending.slice(1)] }).hash).not.toBe(
						partsOf(snapshot).hash,
					);
			}),
			{ numRuns: 50 },
		);
	});
});

describe("canonical JSON", () => {
	it("has one text for equal data, and names where data differ", () => {
		expect(canonicalJson({ b: [1, { d: null, c: undefined }], a: "x" })).toBe('{"a":"x","b":[1,{"d":null}]}');
		expect(firstDifference({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] })).toEqual({ path: "a.1.b", recorded: "2", replayed: "3" });
		expect(firstDifference({ a: 1 }, {})).toEqual({ path: "a", recorded: "1", replayed: "nothing" });
		expect(firstDifference({ a: {} }, { a: {} })).toBeNull();
		expect(firstDifference({ a: 1 }, null)).toEqual({ path: "", recorded: '{"a":1}', replayed: "null" });
	});
});
