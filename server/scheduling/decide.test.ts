import { describe, expect, it } from "vitest";
import { usdToMicro } from "#server/kernel/money.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { decide } from "./decide.ts";
import { aBudget, aJob, anOffer, aPolicy, aPool, aSnapshot, BURST_AFTER_10S, burstRule, denyRule, NOON_MS } from "./testing/builders.ts";
import type { Plan, Snapshot } from "./types.ts";

/** One line per action: kind, job and the relevant fields. */
function actionsOf(plan: Plan): string[] {
	return plan.actions.map((a) => {
		const job = a.jobId.slice(4);
		if (a.kind === "place_home") return `${job} home ${a.slots.join(",")}`;
		if (a.kind === "launch") return `${job} launch ${a.offer.id}`;
		return `${job} ${a.kind} ${a.reason.code}`;
	});
}

const full = { pools: [aPool({ freeSlots: [] })], running: [0, 1, 2, 3].map((slot) => aJob(`old-${slot}`).running("home-a", [slot], 0)) };

interface Case {
	name: string;
	given: Partial<Snapshot>;
	wantActions: string[];
	wantWaiting?: Record<string, string>;
}

const cases: Case[] = [
	{
		name: "a free slot takes the job, the lowest numbers first",
		given: { pools: [aPool({ freeSlots: [1, 3] })], pending: [aJob("a").build()], offers: [anOffer()] },
		wantActions: ["a home 1"],
	},
	{
		name: "a full home sends the job to the cheapest offer once the forecast wait exceeds the rule",
		given: { ...full, pending: [aJob("a").build()], offers: [anOffer({ usd: "1.20" }), anOffer({ usd: "0.90", region: "us-west-2" })] },
		wantActions: ["a launch aws:us-west-2:*:g5.xlarge:on_demand"],
	},
	{
		name: "home is kept when it starts the job before the cloud could",
		given: {
			pools: [aPool({ freeSlots: [] })],
			running: [
				aJob("old")
					.gpus(4)
					.running("home-a", [0, 1, 2, 3], HOUR_MS - 30 * SECOND_MS),
			],
			pending: [aJob("a").build()],
			offers: [anOffer()],
		},
		wantActions: [],
		wantWaiting: { job_a: "waiting_for_home" },
	},
	{
		name: "without a burst rule nothing leaves",
		given: { ...full, policy: aPolicy({ rules: [] }), pending: [aJob("a").build()], offers: [anOffer()] },
		wantActions: [],
		wantWaiting: { job_a: "waiting_for_home" },
	},
	{
		name: "a waited rule says when it will be due",
		given: {
			...full,
			policy: aPolicy({ rules: [["patience", null, burstRule({ waitedMs: 10 * MINUTE_MS })]] }),
			pending: [
				aJob("a")
					.waited(4 * MINUTE_MS)
					.build(),
			],
			offers: [anOffer()],
		},
		wantActions: [],
		wantWaiting: { job_a: "waiting_to_burst" },
	},
	{
		name: "with a queue-length rule only those beyond the length leave",
		given: {
			...full,
			policy: aPolicy({ rules: [["line", null, burstRule({ queueLength: 1 })]] }),
			pending: [aJob("a").waited(3).build(), aJob("b").waited(2).build(), aJob("c").waited(1).build()],
			offers: [anOffer()],
		},
		wantActions: ["b launch aws:us-east-1:*:g5.xlarge:on_demand", "c launch aws:us-east-1:*:g5.xlarge:on_demand"],
		wantWaiting: { job_a: "waiting_for_home" },
	},
	{
		name: "a job that would miss its deadline at home leaves, one with time stays",
		given: {
			...full,
			policy: aPolicy({ rules: [["in-time", null, burstRule({ deadlineSlackMs: 30 * MINUTE_MS })]] }),
			pending: [
				aJob("tight")
					.deadline(NOON_MS + 2 * HOUR_MS)
					.build(),
				aJob("easy")
					.deadline(NOON_MS + 9 * HOUR_MS)
					.build(),
			],
			offers: [anOffer()],
		},
		wantActions: ["tight launch aws:us-east-1:*:g5.xlarge:on_demand"],
		wantWaiting: { job_easy: "waiting_for_home" },
	},
	{
		name: "an attempt past its maximum is stopped, and one that is stopping is left",
		given: {
			pools: [aPool({ freeSlots: [2, 3] })],
			running: [
				aJob("long").max(HOUR_MS).running("home-a", [0], HOUR_MS),
				{
					...aJob("longer")
						.max(HOUR_MS)
						.running("home-a", [1], 2 * HOUR_MS),
					stopping: true,
				},
			],
		},
		wantActions: ["long stop max_duration_exceeded"],
	},
	{
		name: "work that was already done counts towards the maximum",
		given: { pending: [aJob("a").max(HOUR_MS).completed(HOUR_MS).build()] },
		wantActions: ["a fail max_duration_exceeded"],
	},
	{
		name: "what neither home nor any offer has fails",
		given: { pending: [aJob("a").gpus(16).build()], offers: [anOffer({ gpus: 8, instanceType: "p4d.24xlarge" })] },
		wantActions: ["a fail no_placement_possible"],
	},
	{
		name: "what only an unread cloud could have waits",
		given: { pending: [aJob("a").gpus(8).build()], offers: [] },
		wantActions: [],
		wantWaiting: { job_a: "waiting_no_allowed_offer" },
	},
	{
		name: "a job that no burst rule lets leave fails when home can never run it",
		given: { policy: aPolicy({ rules: [] }), pending: [aJob("a").gpus(8).build()], offers: [anOffer({ gpus: 8 })] },
		wantActions: ["a fail no_placement_possible"],
	},
	{
		name: "a pool that does not answer keeps the job waiting, and the rule lets it leave",
		given: { pools: [aPool({ healthy: false })], pending: [aJob("a").build()], offers: [anOffer()] },
		wantActions: ["a launch aws:us-east-1:*:g5.xlarge:on_demand"],
	},
	{
		name: "a held job takes a slot at home like any other",
		given: { pending: [aJob("a").held().build()] },
		wantActions: ["a home 0"],
	},
	{
		name: "a held job is released when no rule wants it to leave any more",
		given: {
			...full,
			policy: aPolicy({ rules: [["burst-on-wait", null, burstRule({ forecastWaitMs: 9 * HOUR_MS })]] }),
			pending: [aJob("a").held().build()],
			offers: [anOffer()],
		},
		wantActions: ["a release waiting_for_home"],
		wantWaiting: { job_a: "waiting_for_home" },
	},
	{
		name: "sensitive work stays home by rule, and waits there",
		given: {
			...full,
			policy: aPolicy({ rules: [["sensitive-stays-home", 'job.class == "sensitive"', denyRule({ sites: ["cloud"] })], BURST_AFTER_10S] }),
			pending: [aJob("a").class("sensitive").build(), aJob("b").build()],
			offers: [anOffer()],
		},
		wantActions: ["b launch aws:us-east-1:*:g5.xlarge:on_demand"],
		wantWaiting: { job_a: "waiting_for_home" },
	},
	{
		name: "several nodes start together on a pool that can, and never on one that cannot or in the cloud",
		given: {
			pools: [aPool({ id: "single", nodes: 4, multiNode: false }), aPool({ id: "multi", nodes: 2, microUsdPerGpuHour: 900_000n })],
			pending: [aJob("gang").nodes(2).gpus(4).build(), aJob("huge").nodes(3).gpus(4).build()],
			offers: [anOffer({ gpus: 8 })],
		},
		wantActions: ["gang home 0,1,2,3,4,5,6,7", "huge fail no_placement_possible"],
	},
];

describe("decide", () => {
	it.each(cases)("$name", ({ given, wantActions, wantWaiting = {} }) => {
		const plan = decide(aSnapshot(given));
		expect(actionsOf(plan)).toEqual(wantActions);
		expect(Object.fromEntries([...plan.waiting].map(([id, why]) => [id, why.code]))).toEqual(wantWaiting);
	});

	it("lets a small job pass a big one only into a gap that it leaves in time even at its P90", () => {
		const given = {
			policy: aPolicy({ rules: [] }),
			pools: [aPool({ freeSlots: [2, 3] })],
			running: [
				aJob("old")
					.gpus(2)
					.estimate(2 * HOUR_MS)
					.running("home-a", [0, 1], 0),
			],
		};
		const big = aJob("big").gpus(4).waited(MINUTE_MS).build();
		const short = aJob("short").estimate(HOUR_MS).build();
		const long = aJob("long")
			.estimate(100 * MINUTE_MS)
			.build();
		const plan = decide(aSnapshot({ ...given, pending: [big, short, long] }));
		expect(actionsOf(plan)).toEqual(["short home 2"]);
		// big waits for old (2 h); long could run up to 150 min and would delay it
		expect(plan.forecasts.get("job_big")?.p50Ms).toBe(NOON_MS + 2 * HOUR_MS);
		expect(plan.forecasts.get("job_long")?.p50Ms).toBe(NOON_MS + 3 * HOUR_MS);
	});

	it("starts no part of a gang: it waits for both nodes when one of two nodes with two free slots is promised to an earlier job", () => {
		const held = (name: string, slots: number[], hours: number) =>
			aJob(name)
				.gpus(2)
				.estimate(hours * HOUR_MS)
				.running("home-a", slots, 0);
		const given = {
			policy: aPolicy({ rules: [] }),
			pools: [aPool({ nodes: 2, multiNode: true, freeSlots: [2, 3, 6, 7] })],
			running: [held("one", [0, 1], 1), held("ten", [4, 5], 10)],
		};
		const wide = aJob("wide").gpus(4).waited(MINUTE_MS).build();
		const gang = (hours: number) =>
			aJob("gang")
				.nodes(2)
				.gpus(2)
				.estimate(hours * HOUR_MS)
				.build();
		// wide gets the first node in an hour: a gang of two hours would delay it there, but one of half an hour ends before it.
		const late = decide(aSnapshot({ ...given, pending: [wide, gang(2)] }));
		expect(actionsOf(late)).toEqual([]);
		expect(late.forecasts.get("job_gang")?.p50Ms).toBe(NOON_MS + 2 * HOUR_MS);
		expect(actionsOf(decide(aSnapshot({ ...given, pending: [wide, gang(0.5)] })))).toEqual(["gang home 2,3,6,7"]);
	});

	it("forecasts a range: the median replay and the late one", () => {
		const plan = decide(aSnapshot({ ...full, policy: aPolicy({ rules: [] }), pending: [aJob("a").build()] }));
		expect(plan.forecasts.get("job_a")).toEqual({ p50Ms: NOON_MS + HOUR_MS, p90Ms: NOON_MS + 1.5 * HOUR_MS });
	});

	it("frees the queue position at home when a job leaves: the next job's forecast does not count it", () => {
		const running = [aJob("old").gpus(4).running("home-a", [0, 1, 2, 3], 0)];
		const policy = aPolicy({ rules: [["urgent-leaves", 'job.team == "urgent"', burstRule({ always: true })]] });
		const pending = [aJob("a").gpus(4).team("urgent").waited(MINUTE_MS).build(), aJob("b").gpus(4).build()];
		const plan = decide(aSnapshot({ pools: [aPool({ freeSlots: [] })], running, policy, pending, offers: [anOffer({ gpus: 4 })] }));
		expect(actionsOf(plan)).toEqual(["a launch aws:us-east-1:*:g5.xlarge:on_demand"]);
		expect(plan.forecasts.get("job_b")?.p50Ms).toBe(NOON_MS + HOUR_MS);
	});

	it("reports what an impossible job requests and what the largest place has", () => {
		const plan = decide(aSnapshot({ pending: [aJob("a").gpus(16).build()], offers: [anOffer({ gpus: 8 })] }));
		expect(plan.actions[0]?.reason.facts).toMatchObject({ cause: "hardware_gpus", askedGpus: 16, largestHomeGpus: 4, largestCloudGpus: 8 });
	});

	it("holds the worst case: price times life and margin, rounded up", () => {
		const policy = aPolicy({ rules: [BURST_AFTER_10S], budgets: [{ id: "month" }] });
		const job = aJob("a")
			.max(2 * HOUR_MS)
			.build();
		const launch = decide(aSnapshot({ ...full, policy, pending: [job], offers: [anOffer({ usd: "0.000007" })] })).actions[0];
		// 2 h + 10 min boot + 2 min grace; held for 5 min more: 7 µ$/h × 137 min = 15.98 µ$
		expect(launch).toMatchObject({ kind: "launch", lifeMs: 132 * MINUTE_MS, holdMicroUsd: 16n, budgetIds: ["month"] });
	});

	it("gives one of two jobs the budget that is enough for one, and reports the other's shortfall", () => {
		const weights = { delayMicroUsdPerHour: 0n, carbonMicroUsdPerTonne: 0n };
		const policy = aPolicy({ rules: [BURST_AFTER_10S], budgets: [{ id: "month" }], weights });
		const pending = [aJob("a").max(HOUR_MS).waited(2).build(), aJob("b").max(HOUR_MS).waited(1).build()];
		const plan = decide(
			aSnapshot({
				...full,
				policy,
				pending,
				offers: [anOffer({ usd: "60" })],
				budgets: [aBudget("month", { cap: 100, posted: 15, held: 5 })],
			}),
		);
		expect(actionsOf(plan)).toEqual(["a launch aws:us-east-1:*:g5.xlarge:on_demand", "b hold budget_exceeded"]);
		// a hold is 77 min × $60/h = $77; free: 100 − 15 − 5 = $80, then $3
		expect(plan.actions[1]?.reason.facts).toMatchObject({
			budgetId: "month",
			freeMicroUsd: String(usdToMicro(3)),
			missingMicroUsd: String(usdToMicro(74)),
			capMicroUsd: String(usdToMicro(100)),
		});
	});
});
