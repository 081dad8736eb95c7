import { describe, expect, it } from "vitest";
import { isTimeZone, nextCronTime, parseCron } from "./cron.ts";
import { dueTimes } from "./due-times.ts";

function next(schedule: string, zone: string, after: string): string | null {
	const parsed = parseCron(schedule);
	if (typeof parsed === "string") throw new Error(parsed);
	const ms = nextCronTime(parsed, zone, Date.parse(after));
	return ms === null ? null : new Date(ms).toISOString();
}

describe("a schedule", () => {
	it.each([
		["0 6 * * mon", "UTC", "2026-11-24T10:00:00Z", "2026-11-30T06:00:00.000Z"],
		["*/15 * * * *", "UTC", "2026-11-24T10:15:00Z", "2026-11-24T10:30:00.000Z"],
		["0 6 * * 1-5", "Europe/Zurich", "2026-11-27T06:00:00Z", "2026-11-30T05:00:00.000Z"],
		["0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00.000Z"],
		["0 0 1,15 * fri", "UTC", "2026-11-24T00:00:00Z", "2026-11-27T00:00:00.000Z"],
		["30 9 * jan,jul 7", "Asia/Kolkata", "2026-11-24T00:00:00Z", "2027-01-03T04:00:00.000Z"],
		// Summer time begins on 29 March 2026 at 2:00, which becomes 3:00: 2:30 does not exist.
		["30 2 * * *", "Europe/Zurich", "2026-03-28T12:00:00Z", "2026-03-29T01:30:00.000Z"],
		// It ends on 25 October 2026: 2:30 occurs twice, and only the first counts.
		["30 2 * * *", "Europe/Zurich", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00.000Z"],
		["30 2 * * *", "Europe/Zurich", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00.000Z"],
		["0 0 30 2 *", "UTC", "2026-01-01T00:00:00Z", null],
	])("%s in %s after %s is next at %s", (schedule, zone, after, expected) => {
		expect(next(schedule, zone, after)).toBe(expected);
	});

	it.each(["* * * *", "60 * * * *", "a * * * *", "*/0 * * * *", "5-1 * * * *", ", * * * *", "* * 0 * *"])("rejects %s", (schedule) => {
		expect(typeof parseCron(schedule)).toBe("string");
	});

	it("recognizes time zones", () => {
		expect([isTimeZone("Europe/Zurich"), isTimeZone("Mars/Olympus")]).toEqual([true, false]);
	});
});

describe("missed times", () => {
	const at = (hour: number) => Date.UTC(2026, 10, 24, hour);
	const due = (missed: "skip" | "once" | "all", nowMs: number) => {
		const parsed = parseCron("0 * * * *");
		if (typeof parsed === "string") throw new Error(parsed);
		const { fire, nextMs } = dueTimes({ schedule: parsed, zone: "UTC", missed, nextMs: at(1), nowMs });
		return {
			fire: fire.map(({ atMs, missed: before }) => [new Date(atMs).getUTCHours(), before]),
			next: nextMs === null ? null : new Date(nextMs).getUTCHours(),
		};
	};

	it("fires a time that has just passed, whatever the rule", () => {
		for (const rule of ["skip", "once", "all"] as const) expect(due(rule, at(1) + 1_000)).toEqual({ fire: [[1, 0]], next: 2 });
		expect(due("skip", at(1) - 1)).toEqual({ fire: [], next: 1 });
	});

	it("are skipped, made up for once, or all fired", () => {
		expect(due("skip", at(4) + 30 * 60_000)).toEqual({ fire: [], next: 5 });
		expect(due("skip", at(4) + 1_000)).toEqual({ fire: [[4, 3]], next: 5 });
		expect(due("once", at(4) + 30 * 60_000)).toEqual({ fire: [[4, 3]], next: 5 });
		expect(due("all", at(4) + 30 * 60_000)).toEqual({
			fire: [
				[1, 0],
				[2, 0],
				[3, 0],
				[4, 0],
			],
			next: 5,
		});
	});
});
