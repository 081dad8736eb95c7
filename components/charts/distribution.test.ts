import { describe, expect, it } from "vitest";
import { lateOf100, prepareDistribution } from "./distribution.ts";

const T0 = Date.UTC(2026, 10, 19, 20);
const MIN = 60_000;
const spread = (middle: number, width: number) => Array.from({ length: 200 }, (_, i) => T0 + (middle + ((i - 100) / 100) * width) * MIN);

describe("lateOf100", () => {
	it("counts what is after the deadline", () => {
		expect(lateOf100([1, 2, 3, 4], 3)).toBe(25);
		expect(lateOf100([], 3)).toBe(0);
	});
});

describe("prepareDistribution", () => {
	const input = {
		ways: [
			{ id: "wait", label: "Wait at home", place: "owned" as const, sortedMs: spread(30, 60) },
			{ id: "burst", label: "Burst now", place: "cloud" as const, sortedMs: spread(0, 20) },
		],
		deadlineMs: T0 + 60 * MIN,
	};
	const picture = prepareDistribution(input, { width: 360, height: 150 });
	it("has a tail after the deadline for what may be late, and none for what cannot be", () => {
		const [wait, burst] = picture.curves;
		expect(wait?.late).not.toBe("");
		expect(wait?.lateOf100).toBeGreaterThan(20);
		expect(burst?.lateOf100).toBe(0);
	});
	it("draws the narrower forecast higher", () => {
		const [wait, burst] = picture.curves;
		expect(burst?.peak.y).toBeLessThan(wait?.peak.y ?? 0);
	});
	it("leaves out a deadline that is far away", () => {
		expect(prepareDistribution({ ...input, deadlineMs: T0 + 100_000 * MIN }, { width: 360, height: 150 }).deadlineX).toBeNull();
	});
	it("survives forecasts that all agree", () => {
		const same = prepareDistribution(
			{ ways: [{ id: "a", label: "a", place: "owned", sortedMs: [T0, T0, T0] }] },
			{ width: 360, height: 150 },
		);
		expect(JSON.stringify(same)).not.toMatch(/NaN/);
	});
});
