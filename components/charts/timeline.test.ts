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
	it("holds every attempt, now and a deadline that is near", () => {
		const bounds = timelineBounds(lanes, T0 + 150 * MIN, T0 + 400 * MIN);
		expect(bounds.fromMs).toBeLessThan(T0);
		expect(bounds.toMs).toBeGreaterThan(T0 + 400 * MIN);
	});
	it("does not let a far deadline squeeze the attempts", () => {
		expect(timelineBounds(lanes, T0 + 150 * MIN, T0 + 9000 * MIN).toMs).toBeLessThan(T0 + 320 * MIN);
	});
	it("has an extent even at the first moment", () => {
		const bounds = timelineBounds([], T0);
		expect(bounds.toMs).toBeGreaterThan(bounds.fromMs);
	});
});

describe("prepareTimeline", () => {
	const input = { ...timelineBounds(lanes, T0 + 150 * MIN), nowMs: T0 + 150 * MIN, nowText: "Now", lanes };
	it("links the end of an attempt to the next one's beginning", () => {
		const picture = prepareTimeline(input, 1000);
		expect(picture.links).toHaveLength(2);
		expect(picture.links[0]).toMatch(new RegExp(`^M${picture.x(T0 + 20 * MIN)} `));
	});
	it("gives lanes their titles' room only when there is some", () => {
		expect(prepareTimeline(input, 1000).left).toBe(176);
		expect(prepareTimeline(input, 360).left).toBe(0);
	});
	it("draws no deadline outside of its axis", () => {
		expect(prepareTimeline({ ...input, deadline: { atMs: T0 + 9000 * MIN, text: "" } }, 1000).deadlineX).toBeNull();
	});
});
