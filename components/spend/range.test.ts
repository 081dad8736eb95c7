import { describe, expect, it } from "vitest";
import { rangeDays, rangeLabel, rangeOf, spendHref, spendQuery } from "./range.ts";

const NOW = Date.UTC(2026, 10, 19, 14, 32);
const iso = ({ fromMs, toMs }: { fromMs: number; toMs: number }) => [fromMs, toMs].map((ms) => new Date(ms).toISOString().slice(0, 10));

describe("rangeOf", () => {
	it("ends with the day that runs", () => {
		expect(iso(rangeOf("7d", NOW))).toEqual(["2026-11-13", "2026-11-20"]);
		expect(iso(rangeOf("60d", NOW))).toEqual(["2026-09-21", "2026-11-20"]);
		expect(iso(rangeOf("month", NOW))).toEqual(["2026-11-01", "2026-11-20"]);
	});

	it("takes the whole of last month, over the turn of the year too", () => {
		expect(iso(rangeOf("last_month", NOW))).toEqual(["2026-10-01", "2026-11-01"]);
		expect(iso(rangeOf("last_month", Date.UTC(2027, 0, 5)))).toEqual(["2026-12-01", "2027-01-01"]);
	});

	it("is the same all day, so that server and browser ask for the same", () =>
		expect(spendQuery("month", "team", NOW)).toEqual(spendQuery("month", "team", NOW + 9 * 3_600_000)));

	it("is named as people name it", () => {
		expect(rangeLabel("month", NOW)).toBe("November to date");
		expect(rangeLabel("last_month", NOW)).toBe("October");
		expect(rangeDays(rangeOf("month", NOW))).toBe("1 Nov to 19 Nov");
	});

	it("leaves defaults out of the address", () => {
		expect(spendHref({ range: "month", by: "team" })).toBe("/spend");
		expect(spendHref({ range: "7d", by: "region" })).toBe("/spend?range=7d&by=region");
	});
});
