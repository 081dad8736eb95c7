import { describe, expect, it } from "vitest";
import { changeTimes, type SlopePoint, type StepPoint, slopeAt, stepAt } from "./step-series.ts";

const STEPS: StepPoint[] = [
	[10, 4],
	[20, null],
	[30, 6],
];
const SLOPE: SlopePoint[] = [
	[0, 10],
	[10, 20],
	[20, 0],
];

describe("stepAt", () => {
	it("holds a value until the next point", () => {
		expect(stepAt(STEPS, 10)).toBe(4);
		expect(stepAt(STEPS, 19)).toBe(4);
		expect(stepAt(STEPS, 99)).toBe(6);
	});
	it("is unknown before the first point and in a gap, never 0", () => {
		expect(stepAt(STEPS, 9)).toBeNull();
		expect(stepAt(STEPS, 25)).toBeNull();
	});
});

describe("slopeAt", () => {
	it("interpolates between points and is constant outside", () => {
		expect(slopeAt(SLOPE, 5)).toBe(15);
		expect(slopeAt(SLOPE, 15)).toBe(10);
		expect(slopeAt(SLOPE, -5)).toBe(10);
		expect(slopeAt(SLOPE, 50)).toBe(0);
		expect(slopeAt([], 5)).toBeNull();
	});
});

describe("changeTimes", () => {
	it("merges the change times of all series within the range", () => expect(changeTimes([STEPS, SLOPE], 5, 25)).toEqual([5, 10, 20, 25]));
});
