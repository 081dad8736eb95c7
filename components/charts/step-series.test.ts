import { describe, expect, it } from "vitest";
import { changeTimes, knownRuns, type SlopePoint, type StepPoint, slopeAt, stepArea, stepAt, stepLine } from "./step-series.ts";

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
const same = (value: number) => value;

describe("stepAt", () => {
	it("holds a value until the next point", () => {
		expect(stepAt(STEPS, 10)).toBe(4);
		expect(stepAt(STEPS, 19)).toBe(4);
		expect(stepAt(STEPS, 99)).toBe(6);
	});
	it("is unknown before the first point and in a gap, and never 0", () => {
		expect(stepAt(STEPS, 9)).toBeNull();
		expect(stepAt(STEPS, 25)).toBeNull();
	});
});

describe("slopeAt", () => {
	it("runs straight between points and stays level outside", () => {
		expect(slopeAt(SLOPE, 5)).toBe(15);
		expect(slopeAt(SLOPE, 15)).toBe(10);
		expect(slopeAt(SLOPE, -5)).toBe(10);
		expect(slopeAt(SLOPE, 50)).toBe(0);
		expect(slopeAt([], 5)).toBeNull();
	});
});

describe("changeTimes", () => {
	it("joins the changes of all series between the ends", () => expect(changeTimes([STEPS, SLOPE], 5, 25)).toEqual([5, 10, 20, 25]));
});

describe("knownRuns", () => {
	it("breaks at gaps", () => {
		const times = changeTimes([STEPS], 0, 40);
		expect(knownRuns(times, (at) => stepAt(STEPS, at) !== null)).toEqual([
			[10, 20],
			[30, 40],
		]);
	});
	it("has none when nothing is known", () => expect(knownRuns([0, 10], () => false)).toEqual([]));
});

describe("paths", () => {
	it("draw steps, not slopes", () => {
		const value = (at: number) => (at < 10 ? 1 : 3);
		expect(stepLine([0, 10, 20], value, same, same)).toBe("M0 1H10V3H20");
		expect(stepArea([0, 10, 20], () => 0, value, same, same)).toBe("M0 1H10V3H20V0H10V0H0Z");
	});
});
