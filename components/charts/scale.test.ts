import { describe, expect, it } from "vitest";
import { linear, spreadLabels, timeTicks } from "./scale.ts";

const AT = Date.UTC(2026, 10, 18, 14, 32);
const HOUR = 3_600_000;

describe("timeTicks", () => {
	it("are on round hours and show the date at midnight", () => {
		const ticks = timeTicks(AT, AT + 12 * HOUR, 5);
		expect(ticks.map((t) => t.label)).toEqual(["15:00", "18:00", "21:00", "Thu 19 Nov"]);
		expect(ticks.map((t) => t.major)).toEqual([false, false, false, true]);
	});
	it("never exceed the limit", () => {
		for (const hours of [0.2, 1, 6, 24, 72, 700]) expect(timeTicks(AT, AT + hours * HOUR, 8).length).toBeLessThanOrEqual(9);
	});
});

describe("linear", () => {
	it("maps values and handles an empty domain", () => {
		expect(linear(0, 10, 0, 100)(5)).toBe(50);
		expect(linear(3, 3, 0, 100)(3)).toBe(0);
	});
});

describe("spreadLabels", () => {
	it("keeps labels that fit", () => expect(spreadLabels([10, 40], 14, 0, 100)).toEqual([10, 40]));
	it("separates overlapping labels in order", () => expect(spreadLabels([52, 50], 14, 0, 100)).toEqual([64, 50]));
	it("keeps labels inside the edges", () => expect(spreadLabels([95, 98], 14, 0, 100)).toEqual([86, 100]));
});
