import { describe, expect, it } from "vitest";
import { type Lane, prepareTimeline, timelineBounds } from "./timeline.ts";

const T0 = Date.UTC(2026, 10, 19, 9);
const MIN = 60_000;
const lane = (id: string, from: number, to: number): Lane => ({
	id,
	title: id,
	sub: "",
	segments: [{ fromMs: T0 + from * MIN, toMs: T0 + to * MIN, kind: "run_spot", label: "ran" }],
});
const lanes = [lane("home", 0, 20), lane("aws", 20, 120), lane("gcp", 120, 300)];

describe("timelineBounds", () => {
	it("includes every attempt, now and a near deadline", () => {
		const bounds = timelineBounds(lanes, T0 + 150 * MIN, T0 + 400 * MIN);
		expect(bounds.fromMs).toBeLessThan(T0);
		expect(bounds.toMs).toBeGreaterThan(T0 + 400 * MIN);
	});
	it("a distant deadline does not shrink the attempts", () => {
		expect(timelineBounds(lanes, T0 + 150 * MIN, T0 + 9000 * MIN).toMs).toBeLessThan(T0 + 320 * MIN);
	});
	it("has an extent at the first instant", () => {
		const bounds = timelineBounds([], T0);
		expect(bounds.toMs).toBeGreaterThan(bounds.fromMs);
	});
});

describe("prepareTimeline", () => {
	const input = { ...timelineBounds(lanes, T0 + 150 * MIN), nowMs: T0 + 150 * MIN, nowText: "Now", lanes };
	it("connects the end of an attempt to the start of the next", () => {
		const picture = prepareTimeline(input, 1000);
		expect(picture.links).toHaveLength(2);
		expect(picture.links[0]).toMatch(new RegExp(`^M${picture.x(T0 + 20 * MIN)} `));
	});
	it("reserves title space only if there are titles", () => {
		expect(prepareTimeline(input, 1000).left).toBe(176);
		expect(prepareTimeline(input, 360).left).toBe(0);
	});
	it("omits a deadline outside the axis", () => {
		expect(prepareTimeline({ ...input, deadline: { atMs: T0 + 9000 * MIN, text: "" } }, 1000).deadlineX).toBeNull();
	});
});
