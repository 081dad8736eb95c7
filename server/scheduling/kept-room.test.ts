import { describe, expect, it } from "vitest";
import { reason } from "#server/domain/reasons.ts";
import { sentenceOf } from "#server/domain/sentences.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { decide } from "./decide.ts";
import { keptRooms, type LeavingAttempt } from "./kept-room.ts";
import { aJob, aPolicy, aPool, aSnapshot, NOON_MS } from "./testing/builders.ts";
import type { Action, KeptRoom, PendingJob, Snapshot } from "./types.ts";

const ROOM: KeptRoom = { poolId: "home-a", slots: [0, 1], ruleId: "deadlines-first" };
const urgent = (room: KeptRoom | null = ROOM): PendingJob => ({ ...aJob("urgent").gpus(2).priority(0).build(), room });
/** Has waited longer, and has a higher rank. */
const rival = aJob("rival")
	.gpus(1)
	.priority(100)
	.waited(9 * HOUR_MS)
	.build();
const leaver = { ...aJob("leaver").running("home-a", [0], HOUR_MS), stopping: true };
const given = (part: Partial<Snapshot>): Snapshot => aSnapshot({ policy: aPolicy({ rules: [] }), ...part });
const linesOf = (actions: readonly Action[]): string[] =>
	actions.map((a) => `${a.jobId.slice(4)} ${a.kind}${a.kind === "place_home" ? ` ${a.slots.join(",")}` : ""}`);

describe("room that evictions make for one job", () => {
	it("is reserved while they leave, including the slots already free, although another job waited longer", () => {
		const pools = [aPool({ gpusPerNode: 2, freeSlots: [1] })];
		const plan = decide(given({ pools, running: [leaver], pending: [rival, urgent()] }));
		expect(plan.actions).toEqual([]);
		expect(plan.waiting.get("job_urgent")).toEqual(
			reason("waiting_for_home", {
				startP50Ms: NOON_MS + 2 * MINUTE_MS,
				startP90Ms: NOON_MS + 2 * MINUTE_MS,
				ahead: 0,
				evicted: 1,
				preemptRuleId: "deadlines-first",
			}),
		);
		expect(plan.forecasts.get("job_rival")?.p50Ms).toBe(NOON_MS + 2 * MINUTE_MS + HOUR_MS);
	});

	it("is taken by the job as soon as they have ended, and other jobs get what is left", () => {
		expect(linesOf(decide(given({ pending: [rival, urgent()] })).actions)).toEqual(["urgent place_home 0,1", "rival place_home 2"]);
	});

	it.each<[string, Partial<Snapshot>, string[]]>([
		[
			"somebody who does not leave holds of it",
			{ running: [{ ...leaver, stopping: false }] },
			["rival place_home 1", "urgent place_home 2,3"],
		],
		[
			"a slot of it is neither free nor held by who leaves",
			{ pools: [aPool({ freeSlots: [1, 2, 3] })] },
			["rival place_home 1", "urgent place_home 2,3"],
		],
		["its pool no longer exists", { pools: [aPool({ id: "home-b" })] }, ["rival place_home 0", "urgent place_home 1,2"]],
		["its pool does not answer", { pools: [aPool({ healthy: false })] }, []],
		["it is not as big as the job", { pending: [rival, urgent({ ...ROOM, slots: [0] })] }, ["rival place_home 0", "urgent place_home 1,2"]],
	])("is dropped when %s: the job queues normally then", (_, part, want) => {
		const pools = [aPool({ freeSlots: part.running ? [1, 2, 3] : [0, 1, 2, 3] })];
		expect(linesOf(decide(given({ pools, pending: [rival, urgent()], ...part })).actions)).toEqual(want);
	});
});

describe("the queue for a slot at home", () => {
	const sentences = (part: Partial<Snapshot>): string[] => [...decide(given(part)).waiting.values()].map((why) => sentenceOf(why));

	it("has one first job: a job with reserved room is not in the queue", () => {
		const pools = [aPool({ gpusPerNode: 4, freeSlots: [] })];
		const running = [0, 1].map((slot) => ({ ...aJob(`leaver-${slot}`).running("home-a", [slot], HOUR_MS), stopping: true }));
		const others = [2, 3].map((slot) => aJob(`old-${slot}`).running("home-a", [slot], 0));
		const urgents = [0, 1].map((slot) => ({ ...aJob(`urgent-${slot}`).gpus(1).build(), room: { ...ROOM, slots: [slot] } }));
		const leaving = sentences({ pools, running: [...running, ...others], pending: [...urgents, aJob("a").build(), aJob("b").build()] });
		expect(leaving).toHaveLength(4);
		expect(leaving.filter((words) => words.includes("makes room for its deadline"))).toHaveLength(2);
		expect(leaving.filter((words) => words.includes("first in line")).length).toBeLessThanOrEqual(1);
	});

	it("is not mentioned when no pool responds, so that not every job is first in it", () => {
		expect(sentences({ pools: [aPool({ healthy: false })], pending: [aJob("a").build(), aJob("b").build()] })).toEqual([
			"Waiting for a slot at home.",
			"Waiting for a slot at home.",
		]);
	});
});

describe("a room, read from the stop reasons of the leaving attempts", () => {
	const leaving = (change: Partial<LeavingAttempt> = {}, facts: Record<string, string> = {}): LeavingAttempt => ({
		stopReason: reason("evicted_for_deadline", {
			forJobId: "job_urgent",
			ruleId: "deadlines-first",
			poolId: "home-a",
			slots: "0,1",
			...facts,
		}),
		askedAtMs: NOON_MS - MINUTE_MS,
		endedAtMs: null,
		...change,
	});
	it.each<[string, LeavingAttempt[], KeptRoom | undefined]>([
		["is the one that they all name", [leaving(), leaving()], ROOM],
		["is kept when they no longer exist", [leaving({ endedAtMs: NOON_MS - 5_000 })], ROOM],
		["is the newest of several", [leaving({}, { slots: "7" }), leaving({ askedAtMs: NOON_MS })], ROOM],
		["lapses 10 minutes after their end", [leaving({ endedAtMs: NOON_MS - 10 * MINUTE_MS - 1 })], undefined],
		["lapses 10 minutes after the call when they do not leave", [leaving({ askedAtMs: NOON_MS - 10 * MINUTE_MS - 1 })], undefined],
		["is not there for any other end", [leaving({ stopReason: reason("returning_home", { forJobId: "job_urgent" }) })], undefined],
	])("%s", (_, list, want) => {
		expect(keptRooms(list, NOON_MS).get("job_urgent")).toEqual(want);
	});
});
