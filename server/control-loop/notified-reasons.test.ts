import { describe, expect, it } from "vitest";
import { reason } from "#server/domain/reasons.ts";
import { sentenceOf } from "#server/domain/sentences.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { decide } from "#server/scheduling/decide.ts";
import { aJob, aPolicy, aPool, aSnapshot, NOON_MS } from "#server/scheduling/testing/builders.ts";
import { hasChanged, type Notified, type NotifiedReasons, notifiedAbout } from "./notified-reasons.ts";

const notified = (change: Partial<Notified> = {}): Notified => ({
	code: "waiting_for_home",
	p50Ms: NOON_MS + HOUR_MS,
	ahead: 0,
	...change,
});

describe("the recorded reason of a waiting job", () => {
	it.each<[string, Partial<Notified>, Partial<Notified>, boolean]>([
		["nothing changed", {}, {}, false],
		["it waits for something else", {}, { code: "budget_exceeded" }, true],
		["its forecast moved by less than a tenth of the wait", {}, { p50Ms: NOON_MS + HOUR_MS + 60_000 }, false],
		["its forecast moved by more", {}, { p50Ms: NOON_MS + 2 * HOUR_MS }, true],
		["it is first no more", {}, { ahead: 1 }, true],
		["it has become first", { ahead: 1 }, {}, true],
		["its place is known no more", {}, { ahead: null }, true],
		["it is one place further, of ten", { ahead: 10 }, { ahead: 9 }, true],
		["it is one place further, of a hundred", { ahead: 100 }, { ahead: 99 }, false],
		["it is ten places further, of a hundred", { ahead: 100 }, { ahead: 90 }, true],
	])("when %s", (_, before, after, want) => {
		expect(hasChanged(notified(after), notified(before), NOON_MS)).toBe(want);
	});

	it("says of one job at a time that it is first in line, when another comes before it and its own start does not move", () => {
		const pools = [aPool({ gpusPerNode: 2, freeSlots: [] })];
		const running = [aJob("a").running("home-a", [0], HOUR_MS), aJob("b").running("home-a", [1], HOUR_MS)];
		const later = aJob("later").gpus(1).priority(10).build();
		const sooner = aJob("sooner").gpus(1).priority(90).build();
		const memory: NotifiedReasons = new Map();
		const written = new Map<string, string>();
		for (const pending of [[later], [later, sooner]]) {
			const plan = decide(aSnapshot({ policy: aPolicy({ rules: [] }), pools, running, pending }));
			for (const [jobId, why] of plan.waiting) {
				const now = notifiedAbout(why, plan.forecasts.get(jobId) ?? null);
				const last = memory.get(jobId);
				if (last && !hasChanged(now, last, NOON_MS)) continue;
				memory.set(jobId, now);
				written.set(jobId, sentenceOf(why));
			}
		}
		expect(written.get("job_sooner")).toContain("first in line");
		expect(written.get("job_later")).toContain("behind 1 job");
	});

	it("reads the place in line from the reason", () => {
		expect(notifiedAbout(reason("waiting_for_home", { ahead: 3 }), { p50Ms: 1, p90Ms: 2 })).toEqual(notified({ ahead: 3, p50Ms: 1 }));
		expect(notifiedAbout(reason("waiting_for_home", {}), null)).toEqual(notified({ ahead: null, p50Ms: null }));
	});
});
