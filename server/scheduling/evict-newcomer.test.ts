import { describe, expect, it } from "vitest";
import type { RuleEffect } from "#server/domain/policy.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { decide } from "./decide.ts";
import { LIMITS } from "./limits.ts";
import { aJob, anOffer, aPolicy, aPool, aSnapshot, BURST_AFTER_10S, NOON_MS } from "./testing/builders.ts";
import type { Action, RunningAttempt, Snapshot } from "./types.ts";

const NEWCOMERS_FIRST: [string, null, RuleEffect] = ["newcomers-first", null, { kind: "preempt", classes: ["burst"], longerBy: 3 }];
const INTERVAL_MS = 15 * MINUTE_MS;
const checkpoint = { path: "state", intervalMs: INTERVAL_MS };

/** Ran for 20 hours, and saved its work this long ago. */
function long(name: string, slots: number[], savedAgoMs = 30 * SECOND_MS, ranMs = 20 * HOUR_MS): RunningAttempt {
	const attempt = aJob(name)
		.gpus(slots.length)
		.estimate(40 * HOUR_MS)
		.running("home-a", slots, ranMs);
	return { ...attempt, spec: { ...attempt.spec, checkpoint }, nextCheckpointAtMs: NOON_MS + INTERVAL_MS - savedAgoMs };
}

const newcomer = (gpus = 1) => aJob("new").gpus(gpus).estimate(HOUR_MS);

function given(part: Partial<Snapshot>): Snapshot {
	return aSnapshot({
		policy: aPolicy({ rules: [BURST_AFTER_10S, NEWCOMERS_FIRST] }),
		pools: [aPool({ freeSlots: [] })],
		offers: [anOffer()],
		cloudStartMs: { p50Ms: 4 * MINUTE_MS, p90Ms: 4 * MINUTE_MS },
		pending: [newcomer().build()],
		...part,
	});
}

function describeActions(actions: readonly Action[]): string[] {
	return actions.map((a) => (a.kind === "evict" ? `${a.jobId.slice(4)} makes room: ${a.reason.code}` : a.kind));
}

const full = (first: RunningAttempt): RunningAttempt[] => [first, long("other", [1, 2, 3], 10 * MINUTE_MS)];

describe("room for a newcomer", () => {
	it("is made by work that is much longer and has just saved itself, instead of a launch", () => {
		const plan = decide(given({ running: full(long("days", [0])) }));
		expect(describeActions(plan.actions)).toEqual(["days makes room: evicted_for_newcomer"]);
		expect(plan.waiting.get("job_new")?.facts).toMatchObject({ evicted: 1, preemptRuleId: "newcomers-first" });
	});

	it.each<[string, RunningAttempt]>([
		["lost more than 90 s of work by it", long("days", [0], LIMITS.makeRoomLostMs + 1)],
		["is not three times as long", long("days", [0], 30 * SECOND_MS, 3 * HOUR_MS - 1)],
		["has a deadline", { ...long("days", [0]), spec: { ...long("days", [0]).spec, deadlineMs: NOON_MS + 900 * HOUR_MS } }],
		["is of another class", { ...long("days", [0]), spec: { ...long("days", [0]).spec, class: "sensitive" } }],
		["stops already", { ...long("days", [0]), stopping: true }],
	])("is not made by work that %s", (_, attempt) => {
		expect(describeActions(decide(given({ running: full(attempt) })).actions).filter((t) => t.includes("makes room"))).toEqual([]);
	});

	it("is not made by larger work, unless other jobs request the surplus within two minutes", () => {
		const running = [long("days", [0, 1]), long("other", [2, 3], 10 * MINUTE_MS)];
		expect(describeActions(decide(given({ running })).actions)).toEqual(["launch"]);
		expect(describeActions(decide(given({ running, arrivingGpusPerHour: 30 })).actions)).toEqual(["days makes room: evicted_for_newcomer"]);
	});

	it("is not made for a job that no rule lets leave, or that home starts as soon as the cloud", () => {
		const stays = aPolicy({ rules: [NEWCOMERS_FIRST] });
		expect(describeActions(decide(given({ policy: stays, running: full(long("days", [0])) })).actions)).toEqual([]);
		const soon = aJob("soon")
			.gpus(3)
			.estimate(HOUR_MS)
			.running("home-a", [1, 2, 3], HOUR_MS - MINUTE_MS);
		expect(describeActions(decide(given({ running: [long("days", [0]), soon] })).actions)).toEqual([]);
	});

	it("is not made twice: the job waits for the stopping work", () => {
		const running = full(long("days", [0])).map((a) => (a.jobId === "job_days" ? { ...a, stopping: true } : a));
		expect(describeActions(decide(given({ running })).actions)).toEqual([]);
	});
});
