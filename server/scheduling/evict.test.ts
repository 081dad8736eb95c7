import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RuleEffect } from "#server/domain/policy.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { decide } from "./decide.ts";
import { cheapestVictims, lostMs } from "./evict.ts";
import { aJob, anOffer, aPolicy, aPool, aSnapshot, BURST_AFTER_10S, type JobBuilder, NOON_MS } from "./testing/builders.ts";
import type { Action, RunningAttempt, Snapshot } from "./types.ts";

const ROOM_FOR_DEADLINES: [string, string, RuleEffect] = [
	"deadlines-first",
	"job.hasDeadline",
	{ kind: "preempt", classes: ["baseline", "experimental"], longerBy: null },
];

/** A baseline job that saved its work this long ago. */
function victim(name: string, slots: number[], savedAgoMs: number, change: (job: JobBuilder) => JobBuilder = (job) => job): RunningAttempt {
	const ranMs = 5 * HOUR_MS;
	const job = change(
		aJob(name)
			.class("baseline")
			.gpus(slots.length)
			.estimate(20 * HOUR_MS),
	);
	return { ...job.running("home-a", slots, ranMs), savedMs: ranMs - savedAgoMs };
}

const tight = (name = "tight") =>
	aJob(name)
		.estimate(HOUR_MS)
		.deadline(NOON_MS + 90 * MINUTE_MS);

function given(part: Partial<Snapshot>): Snapshot {
	return aSnapshot({ policy: aPolicy({ rules: [ROOM_FOR_DEADLINES] }), pools: [aPool({ freeSlots: [] })], ...part });
}

function evicted(actions: readonly Action[]): string[] {
	return actions.flatMap((a) => (a.kind === "evict" ? [`${a.jobId.slice(4)} for ${a.forJobId.slice(4)}`] : []));
}

describe("room for a deadline", () => {
	const running = [victim("a", [0], 9 * MINUTE_MS), victim("b", [1], 2 * MINUTE_MS), victim("c", [2, 3], MINUTE_MS)];

	it("is made by the running job that loses the least, including its restart of 4 min: 2 + 4 min on one GPU, not 9 + 4 on one or 1 + 4 on two", () => {
		const plan = decide(given({ running, pending: [tight().build()] }));
		expect(evicted(plan.actions)).toEqual(["b for tight"]);
		expect(plan.waiting.get("job_tight")?.facts).toMatchObject({
			evicted: 1,
			preemptRuleId: "deadlines-first",
			startP50Ms: NOON_MS + 2 * MINUTE_MS,
		});
	});

	it("is made by the cheapest set of jobs for several GPUs", () => {
		expect(evicted(decide(given({ running, pending: [tight().gpus(3).build()] })).actions)).toEqual(["b for tight", "c for tight"]);
	});

	it("includes slots that are already free", () => {
		const pools = [aPool({ freeSlots: [0] })];
		const plan = decide(given({ pools, running: running.slice(1), pending: [tight().gpus(2).build()] }));
		expect(evicted(plan.actions)).toEqual(["b for tight"]);
	});

	it.each<[string, Partial<Snapshot>]>([
		[
			"the job can wait for its forecast start",
			{
				pending: [
					aJob("easy")
						.deadline(NOON_MS + 99 * HOUR_MS)
						.build(),
				],
			},
		],
		["it has no deadline", { pending: [aJob("any").build()] }],
		["no rule allows it", { policy: aPolicy({ rules: [] }), pending: [tight().build()] }],
		[
			"the deadline is past",
			{
				pending: [
					aJob("late")
						.deadline(NOON_MS - 1)
						.build(),
				],
			},
		],
		[
			"not even a short run would make it",
			{
				pending: [
					aJob("hopeless")
						.estimate(9 * HOUR_MS)
						.deadline(NOON_MS + HOUR_MS)
						.build(),
				],
			},
		],
		[
			"it asks for more than the rule's classes hold",
			{ pending: [tight().gpus(4).build()], running: [...running.slice(0, 2), victim("d", [2, 3], 0, (j) => j.class("sensitive"))] },
		],
		["all that run are stopping already", { running: running.map((a) => ({ ...a, stopping: true })), pending: [tight().build()] }],
		[
			"they are on their way elsewhere",
			{ running: running.map((a) => ({ ...a, movingTo: { kind: "cloud" as const, offerId: "x" } })), pending: [tight().build()] },
		],
		[
			"their own deadlines would be in danger",
			{ running: [victim("a", [0, 1, 2, 3], 0, (j) => j.deadline(NOON_MS + 27 * HOUR_MS))], pending: [tight().build()] },
		],
	])("is not made when %s", (_, part) => {
		expect(evicted(decide(given({ running, ...part })).actions)).toEqual([]);
	});

	it("is made by a job with a deadline that has time to start again", () => {
		const patient = victim("a", [0, 1, 2, 3], 0, (j) => j.deadline(NOON_MS + 99 * HOUR_MS));
		expect(evicted(decide(given({ running: [patient], pending: [tight().build()] })).actions)).toEqual(["a for tight"]);
	});

	it("is not made twice: the next cycle sees them stop and waits for the slots", () => {
		const snapshot = given({ running, pending: [tight().build()] });
		const gone = new Set(decide(snapshot).actions.flatMap((a) => (a.kind === "evict" ? [a.attemptId] : [])));
		const later = {
			...snapshot,
			nowMs: NOON_MS + 5_000,
			running: running.map((a) => (gone.has(a.attemptId) ? { ...a, stopping: true } : a)),
		};
		const plan = decide({ ...later, pending: [...later.pending, aJob("rival").priority(100).build()] });
		expect(evicted(plan.actions)).toEqual([]);
		expect(plan.forecasts.get("job_tight")?.p50Ms).toBe(NOON_MS + 2 * MINUTE_MS);
		// once they are free, they belong to the deadline job
		const free = {
			...later,
			nowMs: NOON_MS + 30_000,
			running: running.filter((a) => !gone.has(a.attemptId)),
			pools: [aPool({ freeSlots: [1] })],
		};
		const placed = decide({ ...free, pending: [aJob("rival").priority(100).build(), ...free.pending] });
		expect(placed.actions).toMatchObject([{ kind: "place_home", jobId: "job_tight", slots: [1] }]);
	});

	it("serves two jobs with the slots of one victim", () => {
		const big = [victim("big", [0, 1, 2, 3], MINUTE_MS)];
		const plan = decide(given({ running: big, pending: [tight("x").gpus(2).build(), tight("y").gpus(2).build()] }));
		expect(evicted(plan.actions)).toEqual(["big for x"]);
		expect([...plan.waiting.values()].map((r) => r.facts["startP50Ms"])).toEqual([NOON_MS + 2 * MINUTE_MS, NOON_MS + 2 * MINUTE_MS]);
	});

	it("is made for a whole gang or not at all", () => {
		const pools = [aPool({ nodes: 2, gpusPerNode: 2, freeSlots: [] })];
		const both = [victim("a", [0, 1], MINUTE_MS), victim("b", [2, 3], 3 * MINUTE_MS)];
		const gang = tight("gang").nodes(2).gpus(2).build();
		expect(evicted(decide(given({ pools, running: both, pending: [gang] })).actions)).toEqual(["a for gang", "b for gang"]);
		const one = [both[0] ?? victim("a", [0, 1], 0), victim("b", [2, 3], 0, (j) => j.class("sensitive"))];
		expect(evicted(decide(given({ pools, running: one, pending: [gang] })).actions)).toEqual([]);
	});

	it("costs no cash, so it is preferred to the cloud", () => {
		const policy = aPolicy({ rules: [ROOM_FOR_DEADLINES, BURST_AFTER_10S] });
		const plan = decide(given({ policy, running, pending: [tight().build()], offers: [anOffer()] }));
		expect(plan.actions.map((a) => a.kind)).toEqual(["evict"]);
	});
});

describe("work lost by ending now", () => {
	const ran = aJob("a").running("home-a", [0], 40 * MINUTE_MS);
	const saves = { ...ran.spec, checkpoint: { path: "/c", intervalMs: 15 * MINUTE_MS } };
	it.each<[string, Partial<RunningAttempt>, number]>([
		["all of a run that saves nothing", {}, 40],
		["what was not saved yet", { savedMs: 33 * MINUTE_MS }, 7],
		["what was done since the last checkpoint", { spec: saves, nextCheckpointAtMs: NOON_MS + 5 * MINUTE_MS }, 10],
		["nothing of a run that has not begun", { startedAtMs: null }, 0],
	])("is %s", (_, part, minutes) => {
		expect(lostMs({ ...ran, ...part }, NOON_MS)).toBe(minutes * MINUTE_MS);
	});

	it("is the least that any set of victims loses, then the smallest set", () => {
		const candidate = fc.record({ gpus: fc.integer({ min: 1, max: 4 }), lostMs: fc.integer({ min: 0, max: 5 }) });
		fc.assert(
			fc.property(fc.array(candidate, { maxLength: 7 }), fc.integer({ min: 1, max: 8 }), (list, missing) => {
				const candidates = list.map((c, i) => ({ ...c, attempt: aJob(`v${i}`).running("home-a", [i], 0) }));
				let best = Number.POSITIVE_INFINITY;
				for (let set = 0; set < 2 ** list.length; set++) {
					const chosen = candidates.filter((_, i) => (set >> i) % 2 === 1);
					if (chosen.reduce((sum, c) => sum + c.gpus, 0) < missing) continue;
					best = Math.min(best, chosen.reduce((sum, c) => sum + c.lostMs, 0) * 100 + chosen.length);
				}
				const found = cheapestVictims(candidates, missing);
				expect(found ? found.lostMs * 100 + found.victims.length : Number.POSITIVE_INFINITY).toBe(best);
			}),
		);
	});
});
