import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { compareQueued, queuedJob } from "./order.ts";
import { makeRunTimeOf, namePatternOf, remainingOf } from "./run-time.ts";
import { aJob, NOON_MS } from "./testing/builders.ts";
import type { DurationStat, PendingJob } from "./types.ts";

const stat = (part: Partial<DurationStat>): DurationStat => ({
	team: "risk",
	namePattern: "*",
	samples: 3,
	p50Ms: HOUR_MS,
	p90Ms: 3 * HOUR_MS,
	...part,
});

describe("the expected run time", () => {
	const spec = aJob("fraud-v7")
		.estimate(2 * HOUR_MS)
		.build().spec;

	it.each<[string, DurationStat[], number, number]>([
		["past runs of the same name", [stat({ namePattern: "fraud-v", p50Ms: 5, p90Ms: 9 }), stat({})], 1000, 1000],
		["the estimate, spread like the team's runs", [stat({ namePattern: "fraud-v", samples: 2 }), stat({})], 2 * HOUR_MS, 6 * HOUR_MS],
		["the estimate, spread by the default", [], 2 * HOUR_MS, 3 * HOUR_MS],
		["never from another team", [stat({ team: "vision" })], 2 * HOUR_MS, 3 * HOUR_MS],
	])("comes from %s", (_, durations, p50Ms, p90Ms) => {
		expect(makeRunTimeOf(durations)(spec)).toEqual({ p50Ms, p90Ms });
	});

	it("never exceeds the maximum, which replaces a missing estimate", () => {
		const limited = { ...spec, duration: { estimateMs: null, maxMs: HOUR_MS } };
		expect(makeRunTimeOf([])(limited)).toEqual({ p50Ms: HOUR_MS, p90Ms: HOUR_MS });
	});

	it("drops the numbers at the end of a name", () => {
		expect(namePatternOf("fraud-v7")).toBe("fraud-v");
		expect(namePatternOf("2026-run")).toBe("2026-run");
	});

	it.each([
		[0, 60, 90],
		[40, 20, 50],
		[70, 10, 20],
		[100, 25, 110],
	])("leaves, after %i of 60 to 90 minutes, %i and %i", (done, p50, p90) => {
		const left = remainingOf({ p50Ms: HOUR_MS, p90Ms: 1.5 * HOUR_MS }, done * MINUTE_MS, null);
		expect(left).toEqual({ p50Ms: p50 * MINUTE_MS, p90Ms: p90 * MINUTE_MS });
	});
});

describe("the order of the queue", () => {
	const order = (...jobs: PendingJob[]): string[] =>
		jobs
			.map((job) => queuedJob(job, { p50Ms: HOUR_MS, p90Ms: HOUR_MS }, NOON_MS))
			.sort(compareQueued)
			.map((q) => q.job.spec.name);

	it("is by aged priority, then slack, then wait, then id", () => {
		expect(
			order(
				aJob("b").build(),
				aJob("a").build(),
				aJob("waited").waited(MINUTE_MS).build(),
				aJob("later")
					.deadline(NOON_MS + 9 * HOUR_MS)
					.build(),
				aJob("soon")
					.deadline(NOON_MS + 2 * HOUR_MS)
					.build(),
				aJob("urgent").priority(51).build(),
				aJob("aged")
					.priority(41)
					.waited(10 * HOUR_MS)
					.build(),
			),
		).toEqual(["aged", "urgent", "soon", "later", "waited", "a", "b"]);
	});
});
