import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { recordsOfLaunches, type SeenLaunch } from "./records-of-launches.ts";
import { NOON_MS } from "./testing/builders.ts";

const at = (hours: number): number => NOON_MS + hours * HOUR_MS;
const aLaunch = (launched: number | null, ended: number | null, end: SeenLaunch["end"] = "other"): SeenLaunch => ({
	offerId: "a",
	isSpot: true,
	launchedAtMs: launched === null ? null : at(launched),
	endedAtMs: ended === null ? null : at(ended),
	end,
});
const learned = (launches: SeenLaunch[], hours: number) => recordsOfLaunches(launches, at(hours)).get("a");
const sum = (counts: readonly number[] | undefined): number => (counts ?? []).reduce((a, b) => a + b, 0);

describe("records of launches", () => {
	it("count a zone's hours once, however many machines ran in them, and take a running machine as evidence that spot was available", () => {
		const record = learned([aLaunch(0, null), aLaunch(2.5, 3), aLaunch(7, 7.5)], 10);
		expect(record?.instanceHours).toBeCloseTo(11, 1);
		expect(sum(record?.zone?.upHours)).toBeCloseTo(10, 1);
		expect(record?.zone).toMatchObject({ up: true, sinceMs: at(-6) });
	});

	it("learn a recovery: reclaimed at 3 h, refused at 3.25 h, up at 3.5 h", () => {
		const launches = [aLaunch(0, 3, "interrupted"), aLaunch(null, 3.25, "refused"), aLaunch(3.5, 4)];
		const record = learned(launches, 5);
		expect(sum(record?.zone?.downHours) * 60).toBeCloseTo(30, 0);
		expect(sum(record?.zone?.downEnds)).toBeCloseTo(1, 2);
		expect(sum(record?.zone?.upEnds)).toBeCloseTo(1, 2);
		expect(learned([...launches].reverse(), 5)).toEqual(record);
	});

	it("ignore everything after their time", () => {
		const launches = [aLaunch(0, 3, "interrupted"), aLaunch(null, 3.25, "refused"), aLaunch(3.5, 4)];
		expect(learned(launches, 2)).toMatchObject({ interruptions: 0, refusals: 0, zone: { up: true, atMs: at(2) } });
		expect(learned([aLaunch(null, 3, "refused")], 2)).toBeUndefined();
	});

	it("take no shortage from a refusal by the account's quota, and learn about zones only from spot", () => {
		expect(learned([aLaunch(null, 1, "over_quota")], 2)).toMatchObject({ refusals: 1, zone: null, backoffUntilMs: at(1) + MINUTE_MS });
		expect(learned([{ ...aLaunch(0, 1), isSpot: false }], 2)?.zone).toBeUndefined();
	});
});
