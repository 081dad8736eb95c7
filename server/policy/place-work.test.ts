import { describe, expect, it } from "vitest";
import { POLICY_LIMITS } from "./limits.ts";
import { PlaceWork } from "./place-work.ts";

const texts = (count: number, text: string): string[] => Array.from({ length: count }, () => text);

/** How often two lists can be compared before the step budget is used up. */
function times(affords: (work: PlaceWork) => boolean): number {
	const work = new PlaceWork();
	let n = 0;
	while (n < 1_000_000 && affords(work)) n++;
	return n;
}

describe("step budget for comparing places", () => {
	it.each([
		["plain names, 8 steps a pair", (w: PlaceWork) => w.affords(texts(100, "p4d"), texts(100, "p5")), 100 * 100 * 8],
		["a star: characters of one × of the other", (w: PlaceWork) => w.affords(["*aaaa"], texts(200, "eastus")), 5 * 1_200],
		["a star in the other list", (w: PlaceWork) => w.affords(texts(200, "eastus"), ["*aaaa"]), 5 * 1_200],
		["the nearest of 1,000 names, 64 each", (w: PlaceWork) => w.affordsNearest(texts(1_000, "x")), 64_000],
		["an offer under 50 entries, 4 each", (w: PlaceWork) => w.affordsJudging(50), 200],
	])("%s", (_, affords, steps) => {
		expect(times(affords)).toBe(Math.ceil(POLICY_LIMITS.placeSteps / steps) - 1);
	});

	it("stays exhausted: past the limit nothing is allowed, however small", () => {
		const work = new PlaceWork();
		expect(work.affords(texts(100_000, "*"), texts(100_000, "a"))).toBe(false);
		expect(work.affords(["a"], ["b"])).toBe(false);
		expect(work.affordsNearest(["a"])).toBe(false);
	});
});
