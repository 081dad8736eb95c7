import fc from "fast-check";
import type { RuleEffect } from "#server/domain/policy.ts";
import { WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import type { Snapshot } from "../types.ts";
import { aBudget, aJob, anOffer, aPolicy, aPool, aSnapshot, burstRule, denyRule, NOON_MS } from "./builders.ts";

/** Any snapshot that the loader could read: odd prices, unhealthy pools, held jobs, full budgets, contradictory rules. */

const ACCELERATORS = ["A10G-24GB", "A100-80GB"] as const;
const accelerator = fc.constantFrom(...ACCELERATORS);
const length = fc.integer({ min: 1, max: 20 }).map((n) => n * 10 * MINUTE_MS);

const pool = fc
	.record({
		nodes: fc.integer({ min: 1, max: 3 }),
		gpusPerNode: fc.integer({ min: 1, max: 4 }),
		accelerator,
		healthy: fc.boolean(),
		multiNode: fc.boolean(),
		taken: fc.array(fc.integer({ min: 0, max: 11 })),
	})
	.map(({ taken, ...p }) =>
		aPool({ ...p, freeSlots: Array.from({ length: p.nodes * p.gpusPerNode }, (_, i) => i).filter((i) => !taken.includes(i)) }),
	);

const offer = fc
	.record({
		region: fc.constantFrom("us-east-1", "eu-west-1", "ap-1"),
		instanceType: fc.constantFrom("g5.xlarge", "p4d.24xlarge", "g5.12xlarge"),
		accelerator,
		gpus: fc.constantFrom(1, 4, 8),
		capacityType: fc.constantFrom("on_demand" as const, "spot" as const),
		usd: fc.option(fc.integer({ min: 0, max: 40 }).map(String)),
		onDemand: fc.option(fc.integer({ min: 1, max: 40 })),
		priceObservedAtMs: fc.integer({ min: 0, max: 30 }).map((h) => NOON_MS - h * HOUR_MS),
		backoffUntilMs: fc.option(
			fc.integer({ min: -10, max: 10 }).map((m) => NOON_MS + m * MINUTE_MS),
			{ freq: 2 },
		),
		gridGramsPerKwh: fc.option(fc.integer({ min: 0, max: 900 })),
	})
	.map(({ onDemand, ...o }) => anOffer({ ...o, onDemandMicroUsdPerHour: onDemand === null ? null : usdToMicro(onDemand) }));

const job = fc
	.record({
		class: fc.constantFrom(...WORKLOAD_CLASSES),
		team: fc.constantFrom("risk", "vision"),
		gpus: fc.integer({ min: 1, max: 9 }),
		nodes: fc.constantFrom(1, 1, 1, 2),
		accelerators: fc.subarray([...ACCELERATORS]),
		priority: fc.integer({ min: 0, max: 100 }),
		waitedMs: fc.integer({ min: 0, max: 40 }).map((h) => h * HOUR_MS),
		estimateMs: fc.option(length),
		maxMs: fc.option(length),
		deadlineMs: fc.option(
			fc.oneof(
				fc.integer({ min: -5, max: 50 }).map((h) => NOON_MS + h * HOUR_MS),
				fc.integer({ min: 1, max: 30 }).map((n) => NOON_MS + n * 10 * MINUTE_MS),
			),
			{ freq: 2 },
		),
		completedMs: fc.constantFrom(0, 0, HOUR_MS),
		held: fc.boolean(),
		approvedUsd: fc.option(fc.integer({ min: 0, max: 500 })),
		avoids: fc.subarray(["aws:us-east-1:*:g5.xlarge:on_demand", "aws:eu-west-1:*:g5.xlarge:spot"]),
	})
	.map((j) => ({ j }));

const rule: fc.Arbitrary<RuleEffect> = fc.oneof(
	fc
		.record({
			forecastWaitMs: fc.option(length),
			waitedMs: fc.option(length),
			queueLength: fc.option(fc.nat(4)),
			deadlineSlackMs: fc.option(length),
			always: fc.boolean(),
		})
		.map(burstRule),
	fc
		.record({ sites: fc.subarray(["cloud", "owned"], { maxLength: 1 }), regions: fc.subarray(["aws:eu-*", "aws:us-east-1"]) })
		.map(denyRule),
	fc
		.record({ instanceFamilies: fc.subarray(["g5", "p4d"]) })
		.map((part): RuleEffect => ({ kind: "allow", sites: [], regions: [], capacityTypes: [], ...part })),
	fc.constant<RuleEffect>({ kind: "require", capacityType: "spot", approval: null }),
	fc.constant<RuleEffect>({ kind: "require", capacityType: null, approval: "platform" }),
	fc.record({
		kind: fc.constant("limit" as const),
		instanceMs: fc.option(length),
		idleMs: fc.constant(null),
		gpuUtilisationBelow: fc.constant(null),
	}),
);
const condition = fc.constantFrom(null, 'job.class == "experimental"', 'job.team == "risk"', "job.gpus > 2", 'job.labels["x"] == "y"');
/** One attempt per slot, allocated in turn. */
function everySlot<T extends { pool: number; slots: number[]; estimateMs: number }>(
	pools: readonly { nodes: number; gpusPerNode: number }[],
	like: readonly T[],
): T[] {
	return pools.flatMap((p, pool) =>
		Array.from({ length: p.nodes * p.gpusPerNode }, (_, slot) => slot).flatMap((slot) => {
			const one = like[slot % Math.max(1, like.length)];
			return one ? [{ ...one, pool, slots: [slot], estimateMs: DAY_MS, maxMs: null }] : [];
		}),
	);
}

const ROOM_FOR_DEADLINES: [string, RuleEffect] = [
	"job.hasDeadline",
	{ kind: "preempt", classes: ["baseline", "burst", "experimental", "batch_inference"], longerBy: null },
];
const approvalCondition = "quote.costUsd > 20";

export const anySnapshot: fc.Arbitrary<Snapshot> = fc
	.record({
		pools: fc.uniqueArray(pool, { maxLength: 3, selector: (p) => p }),
		offers: fc.uniqueArray(offer, { maxLength: 12, selector: (o) => o.id }),
		jobs: fc.array(job, { maxLength: 12 }),
		running: fc.array(
			fc.record({
				pool: fc.nat(2),
				slots: fc.uniqueArray(fc.nat(11), { minLength: 1, maxLength: 4 }),
				ranMs: length,
				estimateMs: length,
				maxMs: fc.option(length),
				class: fc.constantFrom(...WORKLOAD_CLASSES),
				savedShare: fc.option(fc.integer({ min: 0, max: 10 })),
				stopping: fc.boolean(),
			}),
			{ maxLength: 6 },
		),
		foreign: fc.array(
			fc.record({
				pool: fc.nat(2),
				nodes: fc.constantFrom(1, 1, 2),
				gpusPerNode: fc.integer({ min: 1, max: 4 }),
				ranMs: fc.option(length),
				slots: fc.uniqueArray(fc.nat(11), { maxLength: 4 }),
				limitMs: fc.option(length),
			}),
			{ maxLength: 2 },
		),
		preempts: fc.boolean(),
		/** Every slot at home is held by its own long-running job. */
		full: fc.constantFrom(true, false, false, false),
		shares: fc.subarray([
			{ team: "risk", weight: 3 },
			{ team: "vision", weight: 1 },
		]),
		rules: fc.array(fc.tuple(condition, rule), { maxLength: 5 }),
		budgets: fc.array(
			fc.record({
				cap: fc.integer({ min: 0, max: 400 }),
				posted: fc.integer({ min: 0, max: 100 }),
				held: fc.integer({ min: 0, max: 100 }),
			}),
			{ maxLength: 2 },
		),
		start: fc.integer({ min: 1, max: 900 }),
	})
	.map(({ pools, offers, jobs, running, foreign, preempts, full, shares, rules, budgets, start }) =>
		aSnapshot({
			pools: pools.map((p, i) => ({ ...p, id: `pool-${i}`, freeSlots: full ? [] : p.freeSlots })),
			offers,
			pending: jobs.map(({ j }, i) => {
				const built = aJob(`j${i}`)
					.class(j.class)
					.team(j.team)
					.gpus(j.gpus)
					.nodes(j.nodes)
					.accelerators(...j.accelerators)
					.priority(j.priority)
					.waited(j.waitedMs)
					.completed(j.completedMs)
					.build();
				return {
					...built,
					state: j.held ? "held" : "queued",
					approvedMicroUsd: j.approvedUsd === null ? null : usdToMicro(j.approvedUsd),
					avoidOffers: j.avoids.map((offerId) => ({ offerId, untilMs: NOON_MS + HOUR_MS })),
					spec: { ...built.spec, deadlineMs: j.deadlineMs, duration: { estimateMs: j.estimateMs, maxMs: j.maxMs } },
				};
			}),
			running: (full ? everySlot(pools, running) : running).map((r, i) => ({
				...aJob(`run${i}`).running(`pool-${r.pool}`, r.slots, r.ranMs),
				spec: {
					...aJob(`run${i}`).class(r.class).gpus(r.slots.length).build().spec,
					duration: { estimateMs: r.estimateMs, maxMs: r.maxMs },
				},
				stopping: r.stopping,
				...(r.savedShare === null ? {} : { savedMs: Math.floor((r.ranMs * r.savedShare) / 10) }),
			})),
			foreign: foreign.map((f, i) => ({
				id: `foreign-${i}`,
				poolId: `pool-${f.pool}`,
				nodes: f.nodes,
				gpusPerNode: f.gpusPerNode,
				startedAtMs: f.ranMs === null ? null : NOON_MS - f.ranMs,
				slots: f.ranMs === null ? [] : f.slots,
				position: i,
				limitMs: f.limitMs,
			})),
			policy: aPolicy({
				shares,
				rules: [...rules, ...(preempts ? [ROOM_FOR_DEADLINES] : [])].map(([when, effect], i) => [
					`rule-${i}`,
					effect.kind === "require" && effect.approval !== null ? approvalCondition : when,
					effect,
				]),
				budgets: budgets.map((_, i) => ({ id: `budget-${i}`, scope: i === 0 ? "true" : 'job.team == "risk"' })),
			}),
			budgets: budgets.map((b, i) => aBudget(`budget-${i}`, b)),
			priceMaxAgeMs: DAY_MS,
			cloudStartMs: { p50Ms: start * SECOND_MS, p90Ms: 2 * start * SECOND_MS },
		}),
	);
