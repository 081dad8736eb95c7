import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY_MS, formatDuration, HOUR_MS, MINUTE_MS, parseDurationMs } from "./units.ts";

describe("parseDurationMs", () => {
	it.each([
		["90s", 90_000],
		["15m", 15 * MINUTE_MS],
		["6h", 6 * HOUR_MS],
		["1h30m", 90 * MINUTE_MS],
		["2d", 2 * DAY_MS],
		["250ms", 250],
		["1m30s", 90_000],
		["1.5h", 90 * MINUTE_MS],
		[" 10S ", 10_000],
		["0s", 0],
	])("%j is %d ms", (text, want) => {
		expect(parseDurationMs(text)).toBe(want);
	});

	it.each(["", "30", "6 parsecs", "1h 30m", "h", "-5m", "+5m", "1e3s", ".5h", "5.h", "NaNs", "5mm", "∞d", `${"9".repeat(400)}d`])(
		"%j is rejected",
		(text) => {
			expect(parseDurationMs(text)).toBeNull();
		},
	);

	it("is fast on a long invalid text", () => {
		expect(parseDurationMs("1".repeat(100_000))).toBeNull();
		expect(parseDurationMs("1h".repeat(50_000))).toBe(50_000 * HOUR_MS);
	});
});

describe("formatDuration", () => {
	it.each([
		[0, "0s"],
		[45_000, "45s"],
		[90 * MINUTE_MS, "1h30m"],
		[DAY_MS + 1, "1d1ms"],
		[0.4, "0s"],
		[1_499.6, "1s500ms"],
		[-90_000, "-1m30s"],
		[Number.POSITIVE_INFINITY, "endless"],
	])("%d ms is %s", (ms, want) => {
		expect(formatDuration(ms)).toBe(want);
	});

	it("round-trips", () => {
		fc.assert(fc.property(fc.integer({ min: 0, max: 400 * DAY_MS }), (ms) => parseDurationMs(formatDuration(ms)) === ms));
	});
});
