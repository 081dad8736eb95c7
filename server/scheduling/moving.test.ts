import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { decide } from "./decide.ts";
import { aJob, anOffer, aPolicy, aPool, aSnapshot, denyRule, type JobBuilder, NOON_MS } from "./testing/builders.ts";
import type { Action, ForeignJob, MoveTarget, PendingJob, Snapshot } from "./types.ts";

const HOME: MoveTarget = { kind: "home", poolId: "home-a", slots: [2, 3] };
const moving = (to: MoveTarget, job: JobBuilder = aJob("mover").gpus(2).priority(0)): PendingJob => ({ ...job.build(), movingTo: to });
const linesOf = (actions: readonly Action[]): string[] =>
	actions.map(
		(a) =>
			`${a.jobId.slice(4)} ${a.kind}${a.kind === "place_home" ? ` ${a.slots.join(",")}` : a.kind === "launch" ? ` ${a.offer.id}` : ""}`,
	);
const given = (part: Partial<Snapshot>): Snapshot => aSnapshot({ policy: aPolicy({ rules: [] }), ...part });

describe("a reserved place", () => {
	it("is unavailable to others while the job still runs elsewhere, and the forecast includes it", () => {
		const mover = { ...aJob("mover").gpus(2).running("elsewhere", [], HOUR_MS), movingTo: HOME };
		const rival = aJob("rival").gpus(4).priority(100).build();
		const plan = decide(given({ running: [mover], pending: [rival, aJob("small").gpus(2).estimate(MINUTE_MS).build()] }));
		expect(linesOf(plan.actions)).toEqual(["small place_home 0,1"]);
		expect(plan.forecasts.get("job_rival")?.p50Ms).toBeGreaterThan(NOON_MS);
	});

	it("is taken by the job itself before jobs of a higher rank", () => {
		const plan = decide(given({ pending: [aJob("rival").gpus(4).priority(100).build(), moving(HOME)] }));
		expect(linesOf(plan.actions)).toEqual(["mover place_home 2,3"]);
	});

	it.each<[string, Partial<Snapshot>, string[]]>([
		["its slots are not free", { pools: [aPool({ freeSlots: [0, 1, 2] })] }, ["mover place_home 0,1"]],
		["its pool does not answer", { pools: [aPool({ healthy: false })] }, []],
		["a rule keeps it out", { policy: aPolicy({ rules: [["out", null, denyRule({ sites: ["owned"] })]] }), offers: [] }, ["mover fail"]],
		["the pool no longer exists", { pools: [aPool({ id: "home-b" })] }, ["mover place_home 0,1"]],
	])("is dropped when %s: the job queues normally then", (_, part, want) => {
		expect(linesOf(decide(given({ ...part, pending: [moving(HOME)] })).actions)).toEqual(want);
	});

	const there = anOffer({ gpus: 2, usd: 3 });
	const away = aPolicy({
		rules: [
			[
				"away",
				null,
				{
					kind: "burst",
					forecastWaitMs: null,
					waitedMs: null,
					deadlineSlackMs: null,
					queueLength: null,
					always: true,
					costAtMostMicroUsd: null,
					dataAtMostGiB: null,
				},
			],
		],
	});
	it("is an offer that is launched although a cheaper one exists", () => {
		const cheaper = anOffer({ gpus: 2, usd: 1, region: "eu-west-1" });
		const pending = [moving({ kind: "cloud", offerId: there.id })];
		const plan = decide(given({ policy: away, pools: [aPool({ freeSlots: [] })], offers: [cheaper, there], pending }));
		expect(linesOf(plan.actions)).toEqual([`mover launch ${there.id}`]);
		expect(plan.explanations[0]?.candidates.find((c) => c.outcome === "chosen")?.offerId).toBe(there.id);
	});

	it("is not an offer in back-off after a refusal", () => {
		const refused = { ...there, backoffUntilMs: NOON_MS + MINUTE_MS };
		const plan = decide(given({ policy: away, offers: [refused], pending: [moving({ kind: "cloud", offerId: there.id })] }));
		expect(linesOf(plan.actions)).toEqual(["mover place_home 0,1"]);
	});
});

const others = (part: Partial<ForeignJob>): ForeignJob => ({
	id: "f",
	poolId: "home-a",
	nodes: 1,
	gpusPerNode: 2,
	startedAtMs: null,
	slots: [],
	position: 0,
	limitMs: HOUR_MS,
	...part,
});

describe("foreign jobs", () => {
	it("hold their slots until their limit", () => {
		const foreign = [others({ startedAtMs: NOON_MS - 20 * MINUTE_MS, slots: [0, 1] })];
		const plan = decide(given({ foreign, pools: [aPool({ freeSlots: [0, 1, 2] })], pending: [aJob("a").gpus(4).build()] }));
		expect(plan.actions).toEqual([]);
		// slot 3 is held by unknown work: the next full hour
		expect(plan.forecasts.get("job_a")?.p50Ms).toBe(NOON_MS + HOUR_MS);
		const known = decide(given({ foreign, pools: [aPool({ freeSlots: [0, 1, 2, 3] })], pending: [aJob("a").gpus(4).build()] }));
		expect(known.forecasts.get("job_a")?.p50Ms).toBe(NOON_MS + 40 * MINUTE_MS);
	});

	it("come before ours while waiting, in their own order", () => {
		const foreign = [others({ id: "second", position: 1, gpusPerNode: 1 }), others({ id: "first", position: 0, gpusPerNode: 3 })];
		const plan = decide(given({ foreign, pending: [aJob("a").priority(100).build()] }));
		expect(plan.actions).toEqual([]);
		expect(plan.forecasts.get("job_a")?.p50Ms).toBe(NOON_MS + HOUR_MS);
	});
});

describe("a pool's speed", () => {
	it("shortens runs there: at twice the speed an hour is over in 30 minutes", () => {
		const running = [aJob("old").gpus(4).running("home-a", [0, 1, 2, 3], 0)];
		const pending = [aJob("a").gpus(4).waited(1).build(), aJob("b").gpus(4).build()];
		const plan = decide(given({ pools: [aPool({ freeSlots: [], speed: 2 })], running, pending }));
		expect([...plan.forecasts.values()].map((r) => r.p50Ms - NOON_MS)).toEqual([30 * MINUTE_MS, 60 * MINUTE_MS]);
	});
});

describe("the scale of forecasts", () => {
	it("multiplies the wait by the factor of its horizon, and moves no reservation", () => {
		const running = [aJob("old").gpus(4).running("home-a", [0, 1, 2, 3], 0)];
		const steps = [
			{ untilMs: 10 * MINUTE_MS, p50: 9, p90: 9 },
			{ untilMs: 2 * HOUR_MS, p50: 0.5, p90: 2 },
		];
		const plan = decide(given({ pools: [aPool({ freeSlots: [] })], running, pending: [aJob("a").build()], forecastScale: { steps } }));
		// 60 to 90 min in the replay
		expect(plan.forecasts.get("job_a")).toEqual({ p50Ms: NOON_MS + 30 * MINUTE_MS, p90Ms: NOON_MS + 180 * MINUTE_MS });
	});
});
