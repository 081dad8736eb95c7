import { describe, expect, it } from "vitest";
import { bucketFor, bucketsFor, datesLabel, datesOf, instantsOf, rangeLabel, rangeOf } from "./range.ts";
import { addDays, dateOf, isDate, monthStart, startOfDate } from "./zone-days.ts";

const NOW = Date.UTC(2026, 10, 19, 14, 32);
const iso = ({ fromMs, toMs }: { fromMs: number; toMs: number }) => [fromMs, toMs].map((ms) => new Date(ms).toISOString().slice(0, 10));

describe("rangeOf", () => {
	it("ends with the current day", () => {
		expect(iso(rangeOf("7d", NOW))).toEqual(["2026-11-13", "2026-11-20"]);
		expect(iso(rangeOf("90d", NOW))).toEqual(["2026-08-22", "2026-11-20"]);
		expect(iso(rangeOf("month", NOW))).toEqual(["2026-11-01", "2026-11-20"]);
		expect(iso(rangeOf("12m", NOW))).toEqual(["2025-12-01", "2026-11-20"]);
	});

	it("selects the whole previous month, also across years", () => {
		expect(iso(rangeOf("last_month", NOW))).toEqual(["2026-10-01", "2026-11-01"]);
		expect(iso(rangeOf("last_month", Date.UTC(2027, 0, 5)))).toEqual(["2026-12-01", "2027-01-01"]);
	});

	it("uses days of the ledger's zone: Berlin's 1 November starts at 23:00 UTC the day before, and 25 October has 25 hours", () => {
		expect(new Date(rangeOf("month", NOW, "Europe/Berlin").fromMs).toISOString()).toBe("2026-10-31T23:00:00.000Z");
		expect(datesOf("month", Date.UTC(2026, 10, 30, 23, 30), "Europe/Berlin")).toEqual({ from: "2026-12-01", to: "2026-12-01" });
		const { fromMs, toMs } = instantsOf({ from: "2026-10-25", to: "2026-10-25" }, "Europe/Berlin");
		expect((toMs - fromMs) / 3_600_000).toBe(25);
	});

	it("has a readable label", () => {
		expect(rangeLabel("month", NOW)).toBe("November to date");
		expect(rangeLabel("last_month", NOW)).toBe("October");
		expect(datesLabel(datesOf("month", NOW))).toBe("1 Nov to 19 Nov");
		expect(datesLabel({ from: "2025-12-30", to: "2026-01-02" })).toBe("30 Dec 2025 to 2 Jan 2026");
		expect(datesLabel({ from: "2026-11-18", to: "2026-11-18" })).toBe("Wed 18 Nov 2026");
	});
});

describe("buckets", () => {
	it("follow the length of the range", () => {
		expect(bucketFor({ from: "2026-10-01", to: "2026-11-30" })).toBe("day");
		expect(bucketFor({ from: "2026-08-22", to: "2026-11-19" })).toBe("week");
		expect(bucketFor({ from: "2025-12-01", to: "2026-11-19" })).toBe("month");
		expect(bucketsFor({ from: "2026-11-18", to: "2026-11-19" })).toEqual(["day"]);
		expect(bucketsFor({ from: "2026-10-01", to: "2026-11-19" })).toEqual(["day", "week", "month"]);
		expect(bucketsFor({ from: "2025-12-01", to: "2026-11-19" })).toEqual(["week", "month"]);
	});
});

describe("dates", () => {
	it("are valid", () => {
		expect(["2026-02-28", "2026-02-29", "2024-02-29", "0002-01-01", "2026-13-01", "today"].map(isDate)).toEqual([
			...[true, false, true],
			...[false, false, false],
		]);
	});

	it("round-trip as instants in zones with whole- and half-hour offsets", () => {
		for (const zone of ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Kiritimati"]) {
			for (let date = "2026-03-25"; date < "2026-04-02"; date = addDays(date, 1)) {
				const atMs = startOfDate(date, zone);
				expect([zone, dateOf(atMs, zone), dateOf(atMs - 1, zone)]).toEqual([zone, date, addDays(date, -1)]);
			}
		}
		expect([monthStart("2026-01-31", 1), monthStart("2026-01-31", -1)]).toEqual(["2026-02-01", "2025-12-01"]);
	});
});
