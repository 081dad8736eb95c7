import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gpusOf } from "#server/domain/job.ts";
import { CAP_REACTIONS, type Policy, type RuleEffect } from "#server/domain/policy.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { cases } from "#server/kernel/testing/deep.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { judgeJob } from "#server/policy/judge-job.ts";
import { judgePlace } from "#server/policy/judge-place.ts";
import { anySnapshot } from "../testing/arbitrary.ts";
import { aJob, aPool, NOON_MS } from "../testing/builders.ts";
import type { Action, RunningAttempt, Snapshot } from "../types.ts";
import { planRunning, planUrgent } from "./plan-running.ts";
import { headroomGpus } from "./return-home.ts";
import { inCloud, inputOf } from "./testing/input.ts";

const RUNS = { numRuns: cases(60, 300) };

const minutes = (min: number, max: number) => fc.integer({ min, max }).map((n) => n * MINUTE_MS);
const rarely = fc.constantFrom(false, false, false, false, true);
const cloudRun = fc.record({
	gpus: fc.integer({ min: 1, max: 4 }),
	nodes: fc.constantFrom(1, 1, 1, 2),
	class: fc.constantFrom("burst" as const, "experimental" as const),
	estimate: minutes(10, 900),
	ranMs: minutes(5, 300),
	deadline: fc.option(minutes(-10, 900)),
	usd: fc.option(fc.integer({ min: 0, max: 40 }).map(String), { freq: 8 }),
	checkpoint: fc.option(minutes(-2, 8), { freq: 9 }),
	started: rarely.map((no) => !no),
	stopping: rarely,
	moving: rarely,
	idle: fc.option(minutes(0, 30), { freq: 2 }),
	expires: fc.option(minutes(0, 300), { freq: 2 }),
	spot: fc.boolean(),
});
const moveEffect: fc.Arbitrary<RuleEffect> = fc
	.record({
		kind: fc.constant("move" as const),
		to: fc.subarray(["home" as const, "cheaper" as const], { minLength: 1 }),
		usd: fc.integer({ min: 0, max: 5 }),
	})
	.map(({ usd, ...rest }) => ({ ...rest, savingMicroUsd: usdToMicro(usd) }));
const limitEffect: fc.Arbitrary<RuleEffect> = fc.constant({
	kind: "limit",
	instanceMs: null,
	idleMs: 10 * MINUTE_MS,
	gpuUtilisationBelow: null,
});

type CloudRun = typeof cloudRun extends fc.Arbitrary<infer T> ? T : never;

function attemptOf(r: CloudRun, i: number): RunningAttempt {
	const job = aJob(`cloud${i}`).gpus(r.gpus).nodes(r.nodes).class(r.class).estimate(r.estimate);
	return inCloud(r.deadline === null ? job : job.deadline(NOON_MS + r.deadline), {
		usd: r.usd,
		startedAtMs: r.started ? NOON_MS - r.ranMs : null,
		nextCheckpointAtMs: r.checkpoint === null ? null : NOON_MS + r.checkpoint,
		stopping: r.stopping,
		movingTo: r.moving ? { kind: "cloud", offerId: "aws:us-east-1:*:g5.xlarge:spot" } : null,
		idleSinceMs: r.idle === null ? null : NOON_MS - r.idle,
		expiresAtMs: r.expires === null ? null : NOON_MS + r.expires,
	});
}

/** Any snapshot, with attempts in the cloud and at home, critical jobs, and rules that move and limit. */
const anyRunning: fc.Arbitrary<Snapshot> = fc
	.record({
		base: anySnapshot,
		cloud: fc.array(cloudRun, { maxLength: 6 }),
		rules: fc.array(fc.tuple(fc.constantFrom(null, 'job.class == "experimental"'), fc.oneof(moveEffect, moveEffect, limitEffect)), {
			maxLength: 3,
		}),
		atCap: fc.constantFrom(...CAP_REACTIONS),
		critical: fc.boolean(),
		arriving: fc.option(fc.integer({ min: 0, max: 30 }), { freq: 2 }),
		roomy: fc.boolean(),
	})
	.map(({ base, cloud, rules, atCap, critical, arriving, roomy }) => {
		const policy: Policy = {
			...base.policy,
			rules: [...base.policy.rules, ...rules.map(([when, effect], i) => ({ id: `more-${i}`, when, line: 50 + i, effect }))],
			budgets: base.policy.budgets.map((b) => ({ ...b, atCap })),
		};
		const home = base.running.map((r) => ({ ...r, spec: { ...r.spec, critical } }));
		return {
			...base,
			policy,
			pools: roomy ? [...base.pools, aPool({ id: "pool-roomy", nodes: 2 })] : base.pools,
			running: [
				...home,
				// Some run on offers that are available now.
				...cloud.map(attemptOf).map((a, i) => ({ ...a, offerId: i % 2 === 0 ? (base.offers[i]?.id ?? null) : (a.offerId ?? null) })),
			],
			...(arriving === null ? {} : { arrivingGpusPerHour: arriving }),
		};
	});

function planOf(snapshot: Snapshot): Action[] {
	const input = inputOf(snapshot);
	const urgent = planUrgent(input);
	const settled = new Set(urgent.flatMap((a) => ("attemptId" in a ? [a.attemptId] : [])));
	return [...urgent, ...planRunning({ ...input, settled })];
}

function always(check: (actions: Action[], snapshot: Snapshot) => void): void {
	fc.assert(
		fc.property(anyRunning, (snapshot) => check(planOf(snapshot), snapshot)),
		RUNS,
	);
}

type Move = Extract<Action, { kind: "move" }>;
const movesOf = (actions: readonly Action[]): Move[] => actions.filter((a): a is Move => a.kind === "move");

function attemptFor(snapshot: Snapshot, attemptId: string): RunningAttempt {
	const found = snapshot.running.find((r) => r.attemptId === attemptId);
	if (!found) throw new Error(`an action for an attempt that does not run: ${attemptId}`);
	return found;
}

describe("for any running work", () => {
	it("gives an attempt at most one action, and a stopping or moving one no action except to end it", () => {
		always((actions, snapshot) => {
			const ids = actions.map((a) => ("attemptId" in a ? a.attemptId : ""));
			expect(new Set(ids).size).toBe(ids.length);
			for (const action of actions) {
				const attempt = attemptFor(snapshot, "attemptId" in action ? action.attemptId : "");
				expect(attempt.stopping).toBe(false);
				if (attempt.movingTo) expect(action.kind).toBe("stop");
			}
		});
	});

	it("sends work home only to free slots, each once, on whole nodes of a responding pool", () => {
		always((actions, snapshot) => {
			const given = new Set<string>();
			for (const { attemptId, to } of movesOf(actions)) {
				if (to.kind !== "home") continue;
				const { spec } = attemptFor(snapshot, attemptId);
				const pool = snapshot.pools.find((p) => p.id === to.poolId);
				const busy = snapshot.running.filter((r) => r.placement.poolId === to.poolId).flatMap((r) => r.slots);
				expect(pool?.healthy).toBe(true);
				expect(to.slots).toHaveLength(gpusOf(spec));
				expect(new Set(to.slots.map((s) => Math.floor(s / (pool?.gpusPerNode ?? 1)))).size).toBe(spec.nodes);
				for (const slot of to.slots) {
					expect(pool?.freeSlots).toContain(slot);
					expect(busy).not.toContain(slot);
					expect(given.has(`${to.poolId} ${slot}`)).toBe(false);
					given.add(`${to.poolId} ${slot}`);
				}
			}
		});
	});

	it("keeps the headroom free when it moves work back to save money", () => {
		always((actions, snapshot) => {
			const back = movesOf(actions).filter((m) => m.reason.code === "returning_home");
			if (back.length === 0) return;
			const input = inputOf(snapshot);
			const failedOver = movesOf(actions).filter((m) => m.reason.code === "site_failover" && m.to.kind === "home");
			const taken = [...back, ...failedOver].reduce((sum, m) => sum + gpusOf(attemptFor(snapshot, m.attemptId).spec), 0);
			expect(input.freeGpus() - taken).toBeGreaterThanOrEqual(headroomGpus(input));
		});
	});

	it("moves to save money only under a rule that allows it, for at least its minimum saving, at a checkpoint, and never past a deadline", () => {
		always((actions, snapshot) => {
			for (const move of movesOf(actions)) {
				if (move.reason.code === "site_failover") continue;
				const attempt = attemptFor(snapshot, move.attemptId);
				const kind = move.reason.code === "returning_home" ? "home" : "cheaper";
				const rule = judgeJob(snapshot.policy, attempt.spec).moves.find((m) => m.ruleId === move.reason.facts.ruleId);
				expect(rule?.to).toContain(kind);
				expect(BigInt(String(move.reason.facts.savingMicroUsd))).toBeGreaterThanOrEqual(rule?.savingMicroUsd ?? 0n);
				expect(move.atMs).toBe(Math.max(snapshot.nowMs, attempt.nextCheckpointAtMs ?? Number.NaN));
				if (attempt.spec.deadlineMs !== null) expect(move.atMs).toBeLessThanOrEqual(attempt.spec.deadlineMs);
			}
		});
	});

	it("moves only to offers that policy and price allow, and holds no more than is free", () => {
		always((actions, snapshot) => {
			for (const { attemptId, to } of movesOf(actions)) {
				if (to.kind !== "cloud") continue;
				const { spec, offerId } = attemptFor(snapshot, attemptId);
				const offer = snapshot.offers.find((o) => o.id === to.offerId);
				expect(offer).toBeDefined();
				if (!offer) continue;
				expect(judgePlace(judgeJob(snapshot.policy, spec), { ...offer })).toBeNull();
				expect(offer.microUsdPerHour ?? 0n).toBeGreaterThan(0n);
				expect(offer.gpus).toBeGreaterThanOrEqual(spec.resources.gpus);
				expect(to.offerId).not.toBe(offerId);
			}
			for (const view of snapshot.budgets) {
				const held = movesOf(actions).reduce((sum, move) => {
					const under = judgeJob(snapshot.policy, attemptFor(snapshot, move.attemptId).spec).budgets.some((b) => b.id === view.id);
					return under ? sum + move.holdMicroUsd : sum;
				}, 0n);
				if (held > 0n) expect(held).toBeLessThanOrEqual(view.capMicroUsd - view.postedMicroUsd - view.heldMicroUsd);
			}
		});
	});

	it("plans the same whatever the order of the lists", () => {
		fc.assert(
			fc.property(
				anyRunning.chain((s) =>
					fc.record({
						a: fc.constant(s),
						b: fc.record({
							running: shuffled(s.running),
							pools: shuffled(s.pools),
							offers: shuffled(s.offers),
							budgets: shuffled(s.budgets),
						}),
					}),
				),
				({ a, b }) => {
					expect(planOf({ ...a, ...b })).toEqual(planOf(a));
				},
			),
			RUNS,
		);
	});

	it("is exercised on snapshots in which everything happens", () => {
		const codes = fc.sample(anyRunning, { numRuns: 1500, seed: 1 }).flatMap((s) => planOf(s).map((a) => `${a.kind} ${a.reason.code}`));
		expect([...new Set(codes)].sort()).toEqual([
			"move moving_cheaper",
			"move returning_home",
			"move site_failover",
			"stop budget_cap_reached",
			"stop instance_expired",
			"stop instance_idle",
			"stop max_duration_exceeded",
		]);
	});
});

function shuffled<T>(items: readonly T[]): fc.Arbitrary<T[]> {
	return fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length });
}
