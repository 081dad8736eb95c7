import { describe, expect, it } from "vitest";
import type { Offer } from "#server/domain/capacity.ts";
import type { RuleEffect } from "#server/domain/policy.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { LIMITS } from "../limits.ts";
import { emptyRecord } from "../records.ts";
import { AGE_EDGES_MS } from "../spot-guarantee/constants.ts";
import { aBudget, aJob, anOffer, aPolicy, aPool, aSnapshot, BURST_AFTER_10S, NOON_MS } from "../testing/builders.ts";
import type { Action, MoveTarget, OfferRecord, RunningAttempt, Snapshot } from "../types.ts";
import { planRunning, planUrgent } from "./plan-running.ts";
import { inCloud, inputOf } from "./testing/input.ts";

const moveRule = (usd: number, ...to: ("home" | "cheaper")[]): [string, null, RuleEffect] => [
	"move-back",
	null,
	{ kind: "move", to, savingMicroUsd: usdToMicro(usd) },
];
const limitRule: [string, null, RuleEffect] = [
	"lifetime",
	null,
	{ kind: "limit", instanceMs: null, idleMs: 10 * MINUTE_MS, gpuUtilisationBelow: { percent: 5, forMs: 30 * MINUTE_MS } },
];
const policy = aPolicy({
	rules: [BURST_AFTER_10S, moveRule(0.5, "home")],
	weights: { delayMicroUsdPerHour: 0n, carbonMicroUsdPerTonne: 0n },
});
const fiveHours = (name: string) => aJob(name).estimate(5 * HOUR_MS);

const moves = (snapshot: Partial<Snapshot>): Action[] => planRunning(inputOf(aSnapshot({ policy, ...snapshot })));
const urgent = (snapshot: Partial<Snapshot>): Action[] => planUrgent(inputOf(aSnapshot({ policy, ...snapshot })));

describe("going home at a checkpoint", () => {
	it("moves a cloud job to reserved slots when the cost of the remaining run exceeds the rule's minimum", () => {
		// 5 h estimate, 1 h done, 2 minutes to the checkpoint: 3 h 58 min at $2.00 are $7.93
		const saved = String(Math.floor((2_000_000 * (238 * MINUTE_MS)) / HOUR_MS));
		expect(moves({ running: [inCloud(fiveHours("a"))] })).toEqual([
			{
				kind: "move",
				jobId: "job_a",
				attemptId: "att_a_001",
				atMs: NOON_MS + 2 * MINUTE_MS,
				to: { kind: "home", poolId: "home-a", slots: [0] },
				holdMicroUsd: 0n,
				reason: { code: "returning_home", facts: { ruleId: "move-back", poolId: "home-a", savingMicroUsd: saved } },
			},
		]);
	});

	it("moves nothing when no rule allows it, it saves too little, or its price is unknown", () => {
		const running = [inCloud(fiveHours("a"))];
		expect(moves({ running, policy: aPolicy() })).toEqual([]);
		expect(moves({ running, policy: aPolicy({ rules: [moveRule(0.5, "cheaper")] }) })).toEqual([]);
		expect(moves({ running, policy: { ...policy, rules: aPolicy({ rules: [moveRule(7.94, "home")] }).rules } })).toEqual([]);
		expect(moves({ running: [inCloud(fiveHours("a"), { usd: null })] })).toEqual([]);
	});

	it("includes the restore time, and a slower accelerator at home", () => {
		const running = [inCloud(fiveHours("a"))];
		const withDelayWeight = { ...policy, weights: { delayMicroUsdPerHour: usdToMicro(5), carbonMicroUsdPerTonne: 0n } };
		const [move] = moves({ running, policy: withDelayWeight });
		const restore = (5_000_000 * LIMITS.restoreMs) / HOUR_MS;
		expect(move?.reason.facts.savingMicroUsd).toBe(String(Math.floor((2_000_000 * (238 * MINUTE_MS)) / HOUR_MS - restore)));
		// at half the speed the remaining run takes 3 h 58 min longer, which is worth $19.83 at $5 an hour
		expect(moves({ running, policy: withDelayWeight, pools: [aPool({ speed: 0.5 })] })).toEqual([]);
	});

	it("waits for a near checkpoint, and never moves jobs that have none, have just started, or are about to end anyway", () => {
		const of = (part: Partial<RunningAttempt>): Action[] => moves({ running: [inCloud(fiveHours("a"), part)] });
		expect(of({ nextCheckpointAtMs: NOON_MS + LIMITS.moveCheckpointWithinMs })).toHaveLength(1);
		expect(of({ nextCheckpointAtMs: NOON_MS + LIMITS.moveCheckpointWithinMs + 1 })).toEqual([]);
		expect(of({ nextCheckpointAtMs: null })).toEqual([]);
		expect(of({ startedAtMs: NOON_MS - LIMITS.moveMinRunMs + 1 })).toEqual([]);
		expect(of({ startedAtMs: null })).toEqual([]);
		expect(of({ stopping: true })).toEqual([]);
		expect(of({ movingTo: { kind: "home", poolId: "home-a", slots: [3] } })).toEqual([]);
	});

	it("does not endanger a deadline: the P90 remaining run after the move must end before it", () => {
		// P90 is 1.5 times the 5 h estimate: 6.5 h are left, and the restore takes 3 minutes
		const rest = 6.5 * HOUR_MS + LIMITS.restoreMs;
		expect(moves({ running: [inCloud(fiveHours("a").deadline(NOON_MS + rest))] })).toHaveLength(1);
		expect(moves({ running: [inCloud(fiveHours("a").deadline(NOON_MS + rest - 1))] })).toEqual([]);
	});

	it("leaves room for the jobs that arrive within a boot, and gives the rest to the most expensive GPU-hours first", () => {
		const running = [
			inCloud(fiveHours("cheap"), { usd: 1 }),
			inCloud(fiveHours("dear"), { usd: 3 }),
			inCloud(fiveHours("wide").gpus(2), { usd: 5 }),
		];
		const who = (actions: Action[]): string[] => actions.map((a) => a.jobId);
		expect(who(moves({ running }))).toEqual(["job_dear", "job_wide", "job_cheap"]);
		// P90 of a boot is an hour: 2 GPUs an hour need 2 of the 4 free ones, 2.5 count as 3
		const arriving = (perHour: number): Action[] =>
			moves({ running, arrivingGpusPerHour: perHour, cloudStartMs: { p50Ms: MINUTE_MS, p90Ms: 60 * MINUTE_MS } });
		expect(who(arriving(2))).toEqual(["job_dear", "job_cheap"]);
		expect(who(arriving(2.5))).toEqual(["job_dear"]);
		expect(who(arriving(4))).toEqual([]);
	});
});

describe("room that other jobs will soon need", () => {
	// 4 free GPUs, 4 requested per hour in one-GPU jobs: 4² ÷ (2 × 4 × 1) = 2 h; going home and out again takes 3 + 1 + 3 minutes
	it("counts only the time until they arrive: 113 min of $2.00 an hour, not 3 h 58 min", () => {
		const [move] = moves({
			running: [inCloud(fiveHours("a"))],
			arrivingGpusPerHour: 4,
			cloudStartMs: { p50Ms: MINUTE_MS, p90Ms: 2 * MINUTE_MS },
		});
		const saving = Number(move?.reason.facts.savingMicroUsd);
		expect(saving).toBeGreaterThan(0);
		expect(saving).toBeLessThanOrEqual(Math.ceil(2e6 * (113 / 60)));
		expect(Number(moves({ running: [inCloud(fiveHours("a"))] })[0]?.reason.facts.savingMicroUsd)).toBeGreaterThan(2 * saving);
	});
});

describe("continuing at a cheaper offer", () => {
	const cheaper = { ...policy, rules: aPolicy({ rules: [BURST_AFTER_10S, moveRule(0.5, "cheaper")] }).rules };
	const offers = [anOffer({ usd: "1.00" })];

	/** Our job that runs on the cheaper offer now. */
	const neighbour = inCloud(fiveHours("z"), { usd: 1, offerId: offers[0]?.id ?? "" });

	it("moves when the cost there, with boot and restore, is lower by the rule's minimum saving", () => {
		const [move] = moves({ policy: cheaper, offers, pools: [], running: [inCloud(fiveHours("a")), neighbour] });
		expect(move).toMatchObject({
			kind: "move",
			to: { kind: "cloud", offerId: "aws:us-east-1:*:g5.xlarge:on_demand" },
			atMs: NOON_MS + 2 * MINUTE_MS,
		});
		expect(move?.reason.code).toBe("moving_cheaper");
		// 3 h 58 min at $2.00 here; there 3 h 58 min + 3 min restore + 1 min boot at $1.00
		expect(Number(move?.reason.facts.savingMicroUsd)).toBeLessThanOrEqual(Math.floor(2e6 * (238 / 60)) - Math.ceil(1e6 * (242 / 60)));
		expect(move?.kind === "move" && move.holdMicroUsd).toBeGreaterThan(4_000_000n);
	});

	it("stays where it is without such a saving, or without room in the budget", () => {
		const running = [inCloud(fiveHours("a"), { usd: "1.10" }), neighbour];
		expect(moves({ policy: cheaper, offers, pools: [], running })).toEqual([]);
		const tight = { ...cheaper, budgets: aPolicy({ budgets: [{ id: "month", capMicroUsd: usdToMicro(4) }] }).budgets };
		expect(
			moves({ policy: tight, offers, pools: [], budgets: [aBudget("month", { cap: 4 })], running: [inCloud(fiveHours("a")), neighbour] }),
		).toEqual([]);
	});

	describe("with a deadline", () => {
		// From its checkpoint in 2 minutes, 6.5 h − 2 min of work are left of a known 7.5 h. Add the stop's grace of 2 minutes, a boot of 2 at
		// P90 and 3 to restore.
		const FIRM_MS = 6.5 * HOUR_MS + 7 * MINUTE_MS;
		// A start on spot may be lost entirely: again boot and restore, a checkpoint interval, and 5 minutes until that is noticed.
		const SPOT_MS = FIRM_MS + (5 + 15 + 5) * MINUTE_MS;
		const late = (deadlineMs: number): RunningAttempt => {
			const attempt = inCloud(
				aJob("a")
					.estimate(7.5 * HOUR_MS)
					.max(7.5 * HOUR_MS)
					.deadline(deadlineMs),
			);
			return { ...attempt, spec: { ...attempt.spec, checkpoint: { path: "/ckpt", intervalMs: 15 * MINUTE_MS } } };
		};
		const to = (offer: Offer, leftMs: number): number =>
			moves({
				...{ policy: cheaper, offers: [offer], pools: [] },
				running: [late(NOON_MS + leftMs), { ...neighbour, offerId: offer.id }],
			}).length;

		it("goes to firm capacity as long as the remaining run ends in time there", () => {
			const firm = anOffer({ usd: "1.00" });
			expect([FIRM_MS, FIRM_MS - 1].map((leftMs) => to(firm, leftMs))).toEqual([1, 0]);
		});

		it("returns to spot as long as a lost start leaves time for the remaining run on firm capacity", () => {
			const spot = anOffer({ usd: "1.00", capacityType: "spot" });
			expect([SPOT_MS, SPOT_MS - 1].map((leftMs) => to(spot, leftMs))).toEqual([1, 0]);
		});

		it("does not return to spot that would be reclaimed before the move pays off, whatever it would save per hour", () => {
			const spot = anOffer({ usd: "1.00", capacityType: "spot" });
			const runs = (perHour: number): OfferRecord => {
				const [hours, ends] = [AGE_EDGES_MS.map(() => 100), AGE_EDGES_MS.map(() => 100 * perHour)];
				const zone = { up: true, atMs: NOON_MS, sinceMs: NOON_MS, upHours: hours, upEnds: ends, downHours: hours, downEnds: ends };
				return { ...emptyRecord(NOON_MS), instanceHours: 1000, zone };
			};
			const with_ = (perHour: number): number =>
				moves({
					...{ policy: cheaper, offers: [spot], pools: [], offerRecords: new Map([[spot.id, runs(perHour)]]) },
					running: [late(NOON_MS + SPOT_MS + HOUR_MS), { ...neighbour, offerId: spot.id }],
				}).length;
			expect([0.05, 6].map(with_)).toEqual([1, 0]);
		});
	});

	it("never goes where none of our jobs run: it might be refused there, and lose both", () => {
		const starting = { ...neighbour, startedAtMs: null };
		const stopping = { ...neighbour, stopping: true };
		for (const other of [[], [starting], [stopping]])
			expect(moves({ policy: cheaper, offers, pools: [], running: [inCloud(fiveHours("a")), ...other] })).toEqual([]);
	});

	it("never counts its own offer as a cheaper one", () => {
		const running = [inCloud(fiveHours("a"), { offerId: offers[0]?.id ?? "" })];
		expect(moves({ policy: cheaper, offers, pools: [], running })).toEqual([]);
	});
});

describe("limits that end an attempt", () => {
	const limited = { ...policy, rules: aPolicy({ rules: [limitRule] }).rules };
	const codeOf = (part: Partial<RunningAttempt>): string[] =>
		urgent({ policy: limited, running: [inCloud(fiveHours("a"), part)] }).map((a) => `${a.kind} ${a.reason.code}`);

	it("ends an idle instance when the policy's time has passed, and not before", () => {
		expect(codeOf({ idleSinceMs: NOON_MS - 10 * MINUTE_MS })).toEqual(["stop instance_idle"]);
		expect(codeOf({ idleSinceMs: NOON_MS - 10 * MINUTE_MS + 1 })).toEqual([]);
		expect(codeOf({ idleSinceMs: null })).toEqual([]);
	});

	it("ends a job that hardly uses its GPUs, only when that was measured long enough", () => {
		expect(codeOf({ gpuUtilisation: { percent: 4.9, overMs: 30 * MINUTE_MS } })).toEqual(["stop gpu_utilisation_low"]);
		expect(codeOf({ gpuUtilisation: { percent: 5, overMs: 30 * MINUTE_MS } })).toEqual([]);
		expect(codeOf({ gpuUtilisation: { percent: 0, overMs: 30 * MINUTE_MS - 1 } })).toEqual([]);
	});

	it("ends an attempt early enough to save before its instance's life is over", () => {
		expect(codeOf({ expiresAtMs: NOON_MS + LIMITS.stopGraceMs })).toEqual(["stop instance_expired"]);
		expect(codeOf({ expiresAtMs: NOON_MS + LIMITS.stopGraceMs + 1 })).toEqual([]);
	});

	it("ends a job at its maximum even while it waits to move, and nothing that is already stopping", () => {
		const done = fiveHours("a").max(HOUR_MS);
		const to: MoveTarget = { kind: "home", poolId: "home-a", slots: [0] };
		expect(urgent({ running: [inCloud(done, { movingTo: to })] }).map((a) => a.reason.code)).toEqual(["max_duration_exceeded"]);
		expect(urgent({ running: [inCloud(done, { stopping: true })] })).toEqual([]);
	});
});

describe("budgets at their cap", () => {
	const capped = (atCap: "hold" | "terminate" | "checkpoint-and-return") => ({
		...policy,
		budgets: aPolicy({ budgets: [{ id: "month", capMicroUsd: usdToMicro(100), atCap }] }).budgets,
	});
	const running = [inCloud(fiveHours("cheap"), { usd: 1 }), inCloud(fiveHours("dear"), { usd: 3 }), inCloud(fiveHours("mid"))];
	const ended = (part: Partial<Snapshot>): string[] => urgent({ running, ...part }).map((a) => `${a.kind} ${a.jobId} ${a.reason.code}`);

	it("ends the most expensive remaining run first until the expected cost of the others fits", () => {
		// 4 h are left: $4, $8 and $12; $88 posted, and more held than the cap has left
		const budgets = [aBudget("month", { cap: 100, posted: 88, held: 30 })];
		expect(ended({ policy: capped("terminate"), budgets })).toEqual(["stop job_dear budget_cap_reached"]);
		expect(ended({ policy: capped("terminate"), budgets: [aBudget("month", { cap: 100, posted: 95, held: 30 })] })).toEqual([
			"stop job_dear budget_cap_reached",
			"stop job_mid budget_cap_reached",
		]);
	});

	it("ends all when the cap is spent, and none while it is not reached or only blocks new work", () => {
		const spent = [aBudget("month", { cap: 100, posted: 100 })];
		expect(ended({ policy: capped("terminate"), budgets: spent })).toHaveLength(3);
		expect(ended({ policy: capped("hold"), budgets: spent })).toEqual([]);
		expect(ended({ policy: capped("terminate"), budgets: [aBudget("month", { cap: 100, posted: 60, held: 40 })] })).toEqual([]);
	});

	it("lets an attempt reach its next checkpoint when the rule says so", () => {
		const later = running.map((r) => ({ ...r, nextCheckpointAtMs: NOON_MS + 10 * MINUTE_MS }));
		const budgets = [aBudget("month", { cap: 100, posted: 100 })];
		expect(ended({ policy: capped("checkpoint-and-return"), budgets, running: later })).toEqual([]);
		expect(ended({ policy: capped("checkpoint-and-return"), budgets })).toHaveLength(3);
		expect(ended({ policy: capped("terminate"), budgets, running: later })).toHaveLength(3);
	});
});

describe("failover of critical jobs", () => {
	const critical = (name: string): RunningAttempt => {
		const run = fiveHours(name).running("down", [0], HOUR_MS);
		return { ...run, spec: { ...run.spec, critical: true } };
	};
	const down = aPool({ id: "down", siteId: "lost", healthy: false });

	it("goes to a pool with room, else to an offer", () => {
		expect(urgent({ pools: [down, aPool()], running: [critical("a")] })).toMatchObject([
			{ kind: "move", atMs: NOON_MS, to: { kind: "home", poolId: "home-a", slots: [0] }, reason: { code: "site_failover" } },
		]);
		const full = aPool({ freeSlots: [] });
		expect(urgent({ pools: [down, full], offers: [anOffer()], running: [critical("a")] })).toMatchObject([
			{ kind: "move", to: { kind: "cloud", offerId: "aws:us-east-1:*:g5.xlarge:on_demand" } },
		]);
	});

	it("goes only after 30 s of silence: a site that missed one response keeps its work", () => {
		const silentFor = (ms: number) => ({ pools: [{ ...down, unhealthySinceMs: NOON_MS - ms }, aPool()], running: [critical("a")] });
		expect(urgent(silentFor(LIMITS.failoverAfterMs - 1))).toEqual([]);
		expect(urgent(silentFor(LIMITS.failoverAfterMs))).toMatchObject([{ kind: "move", reason: { code: "site_failover" } }]);
	});

	it("leaves jobs that are not critical, and those that no rule lets leave home", () => {
		expect(urgent({ pools: [down, aPool()], running: [fiveHours("a").running("down", [0], HOUR_MS)] })).toEqual([]);
		expect(urgent({ pools: [down], offers: [anOffer()], running: [critical("a")], policy: aPolicy({ rules: [] }) })).toEqual([]);
		expect(urgent({ pools: [{ ...down, healthy: true }, aPool()], running: [critical("a")] })).toEqual([]);
	});
});
