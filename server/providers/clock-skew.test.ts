import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { clockAdvice, clockSkew } from "./clock-skew.ts";

const NOW_MS = Date.parse("2026-11-23T10:00:00Z");
const at = (offsetMs: number) => new Date(NOW_MS + offsetMs).toUTCString();

describe("the offset of a provider's clock, from its response", () => {
	it.each([
		["a plain object", { headers: { date: at(2 * HOUR_MS) } }, 2 * HOUR_MS],
		["a Headers instance", { headers: new Headers({ date: at(-10 * MINUTE_MS) }) }, -10 * MINUTE_MS],
		["a clock within the tolerance", { headers: { date: at(4 * MINUTE_MS) } }, null],
		["an invalid date", { headers: { date: "yesterday" } }, null],
		["no date", { headers: new Headers() }, null],
		["no answer", undefined, null],
	])("%s", (_what, answer, skewMs) => expect(clockSkew(answer, NOW_MS)).toBe(skewMs));

	it("is reported as a local problem, with the fix", () => {
		expect(clockAdvice(10 * MINUTE_MS)).toMatch(/^this host's clock is 10 min behind the provider's; synchronize it with NTP/);
		expect(clockAdvice(-3 * HOUR_MS)).toMatch(/^this host's clock is 3\.0 h ahead of the provider's/);
		expect(clockAdvice(null)).toMatch(/differ too much; synchronize it with NTP/);
	});
});
