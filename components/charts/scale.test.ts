import { describe, expect, it } from "vitest";
import { linear, niceStep, niceTicks, spreadLabels, timeTicks } from "./scale.ts";

const AT = Date.UTC(2026, 10, 18, 14, 32);
const HOUR = 3_600_000;

describe("niceStep", () => {
	it.each([
		[100, 5, 20],
		[6100, 6, 2000],
		[0.0042, 4, 0.002],
		[0, 4, 1],
		[7, 7, 1],
	])("%f in %d parts steps by %f", (span, parts, step) => expect(niceStep(span, parts)).toBeCloseTo(step, 12));
});

describe("niceTicks", () => {
	it("reaches the maximum", () => expect(niceTicks(6100, 6)).toEqual([0, 2000, 4000, 6000, 8000]));
	it("counts in whole things", () => expect(niceTicks(2, 5, true)).toEqual([0, 1, 2]));
	it("has an axis even for nothing", () => expect(niceTicks(0, 4)).toEqual([0, 1]));
	it("does not drift with small steps", () => expect(niceTicks(0.3, 3)).toEqual([0, 0.1, 0.2, 0.3]));
});

describe("timeTicks", () => {
	it("stand on round hours and name the day at midnight", () => {
		const ticks = timeTicks(AT, AT + 12 * HOUR, 5);
		expect(ticks.map((t) => t.label)).toEqual(["15:00", "18:00", "21:00", "Thu 19 Nov"]);
		expect(ticks.map((t) => t.major)).toEqual([false, false, false, true]);
	});
	it("never are more than asked for", () => {
		for (const hours of [0.2, 1, 6, 24, 72, 700]) expect(timeTicks(AT, AT + hours * HOUR, 8).length).toBeLessThanOrEqual(9);
	});
});

describe("linear", () => {
	it("maps, and survives an empty domain", () => {
		expect(linear(0, 10, 0, 100)(5)).toBe(50);
		expect(linear(3, 3, 0, 100)(3)).toBe(0);
	});
});

describe("spreadLabels", () => {
	it("leaves labels that fit alone", () => expect(spreadLabels([10, 40], 14, 0, 100)).toEqual([10, 40]));
	it("parts those that overlap, in their order", () => expect(spreadLabels([52, 50], 14, 0, 100)).toEqual([64, 50]));
	it("does not push them over the edge", () => expect(spreadLabels([95, 98], 14, 0, 100)).toEqual([86, 100]));
});
