import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { decide } from "./decide.ts";
import { orderQueue } from "./fair-share.ts";
import { queuedJob } from "./order.ts";
import { aJob, aPolicy, aPool, aSnapshot, type JobBuilder, NOON_MS } from "./testing/builders.ts";
import type { PendingJob, RunningAttempt } from "./types.ts";

const HOUR = { p50Ms: HOUR_MS, p90Ms: HOUR_MS };
const queueOf = (...jobs: JobBuilder[]) => jobs.map((job) => queuedJob(job.build(), HOUR, NOON_MS));
const namesOf = (queue: ReturnType<typeof orderQueue>): string[] => queue.map((q) => q.job.spec.name);
const SHARES = [
	{ team: "risk", weight: 3 },
	{ team: "vision", weight: 1 },
];

describe("the order under shares", () => {
	// of 8 GPUs, risk has a share of 6, vision of 2
	it("adds 40 points for an unused share, none for a fully used one, and subtracts 40 at twice the share", () => {
		const queue = queueOf(aJob("r").team("risk").priority(50), aJob("v").team("vision").priority(50));
		const ranks = (risk: number, vision: number): number[] =>
			orderQueue(queue, SHARES, new Map(Object.entries({ risk, vision })), 8)
				.sort((a, b) => (a.job.spec.name < b.job.spec.name ? -1 : 1))
				.map((q) => q.rank);
		expect(ranks(0, 2)).toEqual([90, 50]);
		expect(ranks(6, 4)).toEqual([50, 10]);
		expect(ranks(3, 99)).toEqual([70, 10]);
	});

	it("counts a team's own earlier jobs: vision's second GPU comes when risk has used as much of its share", () => {
		const queue = queueOf(
			...["v1", "v2", "v3"].map((name) => aJob(name).team("vision")),
			...["r1", "r2", "r3", "r4", "r5", "r6", "r7"].map((name) => aJob(name).team("risk")),
		);
		expect(namesOf(orderQueue(queue, SHARES, new Map(), 8))).toEqual(["r1", "v1", "r2", "r3", "r4", "v2", "r5", "r6", "r7", "v3"]);
	});

	it("is the plain order without shares", () => {
		const queue = queueOf(aJob("a").team("risk"), aJob("b").team("vision").priority(60), aJob("c").team("risk").priority(70));
		expect(namesOf(orderQueue(queue, [], new Map([["risk", 99]]), 8))).toEqual(["c", "b", "a"]);
	});

	it("lends capacity that no other team needs", () => {
		const pending = Array.from({ length: 8 }, (_, i) => aJob(`v${i}`).team("vision").build());
		const plan = decide(aSnapshot({ policy: aPolicy({ rules: [], shares: SHARES }), pools: [aPool({ gpusPerNode: 8 })], pending }));
		expect(plan.actions).toHaveLength(8);
	});

	it("does not depend on the order of the list", () => {
		const job = fc.record({
			team: fc.constantFrom("risk", "vision", "other"),
			gpus: fc.integer({ min: 1, max: 8 }),
			priority: fc.integer({ min: 0, max: 100 }),
		});
		fc.assert(
			fc.property(
				fc.array(job, { maxLength: 12 }).chain((jobs) => {
					const queue = queueOf(...jobs.map((j, i) => aJob(`j${i}`).team(j.team).gpus(j.gpus).priority(j.priority)));
					return fc.tuple(fc.constant(queue), fc.shuffledSubarray(queue, { minLength: queue.length, maxLength: queue.length }));
				}),
				([queue, shuffled]) => {
					expect(orderQueue(shuffled, SHARES, new Map([["vision", 3]]), 8)).toEqual(orderQueue(queue, SHARES, new Map([["vision", 3]]), 8));
				},
			),
		);
	});
});

/** Advances one node of 4 hour by hour; every job runs an hour. Returns the hour in which `victim` starts. */
function startedAfter(victim: PendingJob, rivalsAt: (hour: number) => PendingJob[], hours: number): number | null {
	const policy = aPolicy({ rules: [], shares: SHARES });
	let pending = [victim];
	for (let hour = 0; hour < hours; hour++) {
		const nowMs = NOON_MS + hour * HOUR_MS;
		pending = [...pending, ...rivalsAt(hour).map((job) => ({ ...job, submittedAtMs: nowMs, pendingSinceMs: nowMs }))];
		const running: RunningAttempt[] = [];
		const { actions } = decide(aSnapshot({ nowMs, policy, pools: [aPool()], pending, running }));
		const placed = new Set(actions.map((a) => a.jobId));
		if (placed.has(victim.jobId)) return hour;
		// rival jobs that were not placed leave; new ones keep arriving, more than there is room for
		pending = pending.filter((job) => job === victim);
	}
	return null;
}

describe("no starvation", () => {
	it("holds for any arrivals of any teams, priorities, deadlines and sizes: the wait is bounded by the most that a rank can gain", () => {
		const rival = fc.record({
			gpus: fc.integer({ min: 1, max: 4 }),
			team: fc.constantFrom("risk", "vision", "other"),
			priority: fc.integer({ min: 0, max: 100 }),
			deadlineHours: fc.option(fc.integer({ min: 0, max: 3 })),
		});
		const victim = fc.record({ gpus: fc.integer({ min: 1, max: 4 }), team: fc.constantFrom("risk", "vision", "other") });
		fc.assert(
			fc.property(victim, fc.array(fc.array(rival, { minLength: 4, maxLength: 8 }), { minLength: 1, maxLength: 4 }), (low, waves) => {
				const rivalsAt = (hour: number): PendingJob[] =>
					(waves[hour % waves.length] ?? []).map((r, i) => {
						const job = aJob(`r${hour}-${i}`).team(r.team).gpus(r.gpus).priority(r.priority);
						return (r.deadlineHours === null ? job : job.deadline(NOON_MS + (hour + r.deadlineHours) * HOUR_MS)).build();
					});
				const job = aJob("low").team(low.team).gpus(low.gpus).priority(0).build();
				// at most 100 for priority + 100 for urgency + 80 between the extremes of two shares, one point an hour
				expect(startedAfter(job, rivalsAt, 290)).not.toBeNull();
			}),
			{ numRuns: 15 },
		);
	});
});
