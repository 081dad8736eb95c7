import { describe, expect, it } from "vitest";
import { formatClock, formatExact, formatRelative, formatShort, formatSpan } from "./format-time.ts";

const NOW = Date.UTC(2026, 10, 19, 14, 32, 5);
const MIN = 60_000;

describe("formatSpan", () => {
	it.each([
		[0, "0 s"],
		[400, "0.4 s"],
		[4_200, "4.2 s"],
		[4_000, "4 s"],
		[42_000, "42 s"],
		[59_700, "1 min"],
		[42 * MIN, "42 min"],
		[115 * MIN, "1 h 55"],
		[59.6 * MIN, "1 h"],
		[31 * 60 * MIN, "31 h"],
		[62 * 60 * MIN, "2 d 14 h"],
		[72 * 60 * MIN, "3 d"],
		[-14 * MIN, "−14 min"],
	])("formats %d ms as %s", (ms, text) => expect(formatSpan(ms)).toBe(text));
	it("keeps seconds if precise", () => {
		expect(formatSpan(190_000, true)).toBe("3 min 10 s");
		expect(formatSpan(180_000, true)).toBe("3 min");
	});
});

describe("formatRelative", () => {
	it.each([
		[NOW, "just now"],
		[NOW + 2_000, "just now"],
		[NOW - 4_900, "4 s ago"],
		[NOW - 18 * MIN, "18 min ago"],
		[NOW + 4 * MIN, "in 4 min"],
		[NOW - 26 * 60 * MIN, "26 h ago"],
		[NOW - 10 * 1440 * MIN, "9 Nov"],
	])("formats %d as %s", (at, text) => expect(formatRelative(at, NOW)).toBe(text));
});

describe("formatShort", () => {
	it("is as short as unambiguous", () => {
		expect(formatShort(NOW - 3 * 60 * MIN, NOW)).toBe("11:32");
		expect(formatShort(NOW - 21 * 60 * MIN, NOW)).toBe("Wed 17:32");
		expect(formatShort(NOW - 20 * 1440 * MIN, NOW)).toBe("30 Oct");
		expect(formatShort(NOW - 400 * 1440 * MIN, NOW)).toBe("15 Oct 2025");
	});
});

describe("exact times", () => {
	it("are UTC in any time zone", () => {
		expect(formatClock(NOW)).toBe("14:32");
		expect(formatExact(NOW)).toBe("Thu 19 Nov 2026, 14:32:05 UTC");
	});
});
