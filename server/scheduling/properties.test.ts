import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RuleEffect } from "#server/domain/policy.ts";
import { cases } from "#server/kernel/testing/deep.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { judgeJob } from "#server/policy/judge-job.ts";
import { judgePlace } from "#server/policy/judge-place.ts";
import { decide } from "./decide.ts";
import { keptRooms } from "./kept-room.ts";
import { anySnapshot } from "./testing/arbitrary.ts";
import { aJob, aPolicy, aPool, aSnapshot, NOON_MS } from "./testing/builders.ts";
import type { Action, PendingJob, Plan, Snapshot } from "./types.ts";

const RUNS = { numRuns: cases(60, 300) };

/** Checks every plan, for any snapshot. */
function always(check: (plan: Plan, snapshot: Snapshot) => void, among: fc.Arbitrary<Snapshot> = anySnapshot): void {
	fc.assert(
		fc.property(among, (snapshot) => check(decide(snapshot), snapshot)),
		RUNS,
	);
}

/** Urgent deadlines, and jobs that may be evicted for them. */
const crowded: fc.Arbitrary<Snapshot> = fc
	.record({ base: anySnapshot, estimateHours: fc.integer({ min: 1, max: 3 }), slackMinutes: fc.integer({ min: 5, max: 90 }) })
	.map(({ base, estimateHours, slackMinutes }) => {
		const effect: RuleEffect = { kind: "preempt", classes: ["baseline", "burst", "experimental"], longerBy: null };
		const deadlineMs = base.nowMs + estimateHours * HOUR_MS + slackMinutes * MINUTE_MS;
		return {
			...base,
			policy: { ...base.policy, rules: [...base.policy.rules, { id: "room", when: "job.hasDeadline", line: 1, effect }] },
			pools: base.pools.map((pool) => ({ ...pool, healthy: true })),
			pending: base.pending.map((job, i) => {
				const duration = { ...job.spec.duration, estimateMs: estimateHours * HOUR_MS };
				return i % 3 === 2 ? job : { ...job, spec: { ...job.spec, duration, deadlineMs } };
			}),
			running: base.running.map((attempt) => ({ ...attempt, stopping: false })),
		};
	});
const crowdedOrNot = fc.oneof(anySnapshot, crowded);

function specOf(snapshot: Snapshot, jobId: string): PendingJob {
	const job = snapshot.pending.find((p) => p.jobId === jobId);
	if (!job) throw new Error(`an action for a job that is not pending: ${jobId}`);
	return job;
}

const launchesOf = (plan: Plan) => plan.actions.filter((a): a is Extract<Action, { kind: "launch" }> => a.kind === "launch");

describe("safety: for any snapshot", () => {
	it("assigns only free slots, each once, as many as the job requests, on whole nodes", () => {
		always((plan, snapshot) => {
			const given = new Set<string>();
			for (const a of plan.actions) {
				if (a.kind !== "place_home") continue;
				const pool = snapshot.pools.find((p) => p.id === a.poolId);
				const busy = snapshot.running.filter((r) => r.placement.poolId === a.poolId).flatMap((r) => r.slots);
				const others = (snapshot.foreign ?? []).filter((f) => f.poolId === a.poolId && f.startedAtMs !== null).flatMap((f) => f.slots);
				const { spec } = specOf(snapshot, a.jobId);
				expect(pool?.healthy).toBe(true);
				expect(a.slots).toHaveLength(spec.nodes * spec.resources.gpus);
				expect(new Set(a.slots.map((s) => Math.floor(s / (pool?.gpusPerNode ?? 1)))).size).toBe(spec.nodes);
				for (const slot of a.slots) {
					expect(pool?.freeSlots).toContain(slot);
					expect(busy).not.toContain(slot);
					expect(others).not.toContain(slot);
					expect(given.has(`${a.poolId} ${slot}`)).toBe(false);
					given.add(`${a.poolId} ${slot}`);
				}
			}
		});
	});

	it("never uses a place that a rule denies, or a price that is missing, zero, stale or in back-off", () => {
		always((plan, snapshot) => {
			for (const { jobId, offer } of launchesOf(plan)) {
				const { spec, avoidOffers } = specOf(snapshot, jobId);
				expect(judgePlace(judgeJob(snapshot.policy, spec), { ...offer })).toBeNull();
				expect(offer.microUsdPerHour ?? 0n).toBeGreaterThan(0n);
				expect(snapshot.nowMs - offer.priceObservedAtMs).toBeLessThanOrEqual(snapshot.priceMaxAgeMs);
				expect(offer.backoffUntilMs ?? 0).toBeLessThanOrEqual(snapshot.nowMs);
				expect(avoidOffers.some((a) => a.offerId === offer.id && a.untilMs > snapshot.nowMs)).toBe(false);
				expect(offer.gpus).toBeGreaterThanOrEqual(spec.resources.gpus);
				expect(spec.nodes).toBe(1);
			}
		});
	});

	it("keeps the holds within the free part of each budget, and at least at the cost of the longest life", () => {
		always((plan, snapshot) => {
			for (const view of snapshot.budgets) {
				const held = launchesOf(plan).reduce((sum, a) => sum + (a.budgetIds.includes(view.id) ? a.holdMicroUsd : 0n), 0n);
				const free = view.capMicroUsd - view.postedMicroUsd - view.heldMicroUsd;
				if (held > 0n) expect(held).toBeLessThanOrEqual(free);
			}
			for (const a of launchesOf(plan)) {
				expect(a.holdMicroUsd * BigInt(HOUR_MS)).toBeGreaterThanOrEqual((a.offer.microUsdPerHour ?? 0n) * BigInt(a.lifeMs));
				expect(a.budgetIds).toEqual(judgeJob(snapshot.policy, specOf(snapshot, a.jobId).spec).budgets.map((b) => b.id));
			}
		});
	});

	it("has at most one action per job, a reason for each job that stays, and an explanation for each action", () => {
		always((plan, snapshot) => {
			const acted = plan.actions.filter((a) => !("attemptId" in a)).map((a) => a.jobId);
			expect(new Set(acted).size).toBe(acted.length);
			const explained = new Set(plan.explanations.map((e) => e.jobId));
			for (const id of acted) expect(explained.has(id)).toBe(true);
			const gone = new Set(
				plan.actions.filter((a) => a.kind === "place_home" || a.kind === "launch" || a.kind === "fail").map((a) => a.jobId),
			);
			for (const { jobId } of snapshot.pending) expect(plan.waiting.has(jobId)).toBe(!gone.has(jobId));
			for (const range of plan.forecasts.values()) expect(range.p90Ms).toBeGreaterThanOrEqual(range.p50Ms);
		});
	});

	it("never starts a job that has a live attempt, and stops each attempt at most once", () => {
		always((plan, snapshot) => {
			const live = new Set(snapshot.running.map((r) => r.jobId));
			const acted = plan.actions.flatMap((a) => ("attemptId" in a ? [a.attemptId] : []));
			expect(new Set(acted).size).toBe(acted.length);
			for (const a of plan.actions) if (a.kind === "place_home" || a.kind === "launch") expect(live.has(a.jobId)).toBe(false);
		});
	});

	it("evicts only running attempts that a rule releases, for a pending job with a deadline; for a gang, enough or none", () => {
		always((plan, snapshot) => {
			const evictions = plan.actions.filter((a) => a.kind === "evict");
			for (const { attemptId, forJobId } of evictions) {
				const victim = snapshot.running.find((r) => r.attemptId === attemptId);
				const { spec } = specOf(snapshot, forJobId);
				const classes = judgeJob(snapshot.policy, spec).preempt.flatMap((rule) => rule.classes);
				expect(victim?.stopping).toBe(false);
				expect(classes).toContain(victim?.spec.class);
				expect(spec.deadlineMs).not.toBeNull();
				expect(plan.waiting.get(forJobId)?.facts["evicted"]).toBeGreaterThan(0);
			}
			const leaving = evictions.flatMap(({ attemptId }) => snapshot.running.find((r) => r.attemptId === attemptId)?.slots ?? []).length;
			const free = snapshot.pools.reduce((sum, p) => sum + p.freeSlots.length, 0);
			for (const forJobId of new Set(evictions.map((e) => e.forJobId))) {
				const { nodes, resources } = specOf(snapshot, forJobId).spec;
				expect(leaving + free).toBeGreaterThanOrEqual(nodes * resources.gpus);
			}
		});
	});

	it("is exercised on snapshots with every kind of action", () => {
		const kinds = new Set(fc.sample(anySnapshot, { numRuns: 500, seed: 1 }).flatMap((s) => decide(s).actions.map((a) => a.kind)));
		expect([...kinds].sort()).toEqual(["evict", "fail", "hold", "launch", "place_home", "release", "stop"]);
	});

	it("gives the same plan whatever the order of the lists", () => {
		fc.assert(
			fc.property(
				anySnapshot.chain((s) =>
					fc.record({
						a: fc.constant(s),
						b: fc.record({
							pending: shuffled(s.pending),
							offers: shuffled(s.offers),
							running: shuffled(s.running),
							foreign: shuffled(s.foreign ?? []),
							pools: shuffled(s.pools),
							budgets: shuffled(s.budgets),
						}),
					}),
				),
				({ a, b }) => {
					expect(decide({ ...a, ...b })).toEqual(decide(a));
				},
			),
			RUNS,
		);
	});

	it("launches, stops and moves nothing more when the plan is applied and the same moment is decided again", () => {
		always((plan, snapshot) => {
			const next = applied(snapshot, plan);
			const again = decide(next);
			expect(again.actions.filter((a) => a.kind === "stop" || a.kind === "move")).toEqual([]);
			// With shares, started jobs count as their team's usage, and launched or failed jobs no longer do, so the order of pending jobs may
			// differ. Reserved room is visible to earlier jobs only in the next cycle, with all other slots that the stopping attempts release.
			// Then another job may start, or a second deadline may find its own room.
			if (snapshot.policy.shares.length > 0 || plan.actions.some((a) => a.kind === "evict")) return;
			// Jobs started in the plan keep their place in the next cycle. A deadline may then request it, together with others.
			const began = new Set(plan.actions.flatMap((a) => (a.kind === "place_home" ? [a.jobId] : [])));
			const evicted = again.actions.filter((a) => a.kind === "evict");
			if (evicted.length === 0) expect(again.actions).toEqual([]);
			else expect(evicted.some(({ jobId }) => began.has(jobId))).toBe(true);
		}, crowdedOrNot);
	});

	it("keeps room made for a job for that job: no other job uses it, and nothing is evicted for it again", () => {
		always((plan, snapshot) => {
			const next = applied(snapshot, plan);
			const again = decide(next);
			for (const { jobId, room } of next.pending) {
				if (!room) continue;
				expect(again.waiting.get(jobId)?.facts["evicted"]).toBe(plan.waiting.get(jobId)?.facts["evicted"]);
				expect(again.actions.some((a) => a.kind === "evict" && a.forJobId === jobId)).toBe(false);
				for (const a of again.actions) {
					if (a.kind === "place_home" && a.poolId === room.poolId) expect(a.slots.filter((slot) => room.slots.includes(slot))).toEqual([]);
				}
				// and it starts there as soon as all of them have ended
				const then = decide(withoutLeavers(next));
				const start = then.actions.find((a) => a.jobId === jobId);
				expect(start).toMatchObject({ kind: "place_home", poolId: room.poolId, slots: room.slots });
			}
		}, crowded);
	});
});

/** The same once all stopping attempts have ended. */
function withoutLeavers(snapshot: Snapshot): Snapshot {
	const gone = snapshot.running.filter((r) => r.stopping);
	const held = new Set(snapshot.running.filter((r) => !r.stopping).flatMap((r) => r.slots.map((slot) => `${r.placement.poolId} ${slot}`)));
	const pools = snapshot.pools.map((pool) => {
		const left = gone.flatMap((r) => (r.placement.poolId === pool.id ? r.slots : [])).filter((slot) => !held.has(`${pool.id} ${slot}`));
		const inside = left.filter((slot) => slot < pool.nodes * pool.gpusPerNode);
		return { ...pool, freeSlots: [...new Set([...pool.freeSlots, ...inside])].sort((a, b) => a - b) };
	});
	return { ...snapshot, pools, running: snapshot.running.filter((r) => !r.stopping) };
}

function shuffled<T>(items: readonly T[]): fc.Arbitrary<T[]> {
	return fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length });
}

/** The snapshot that the loader would read right after the plan was applied. */
function applied(snapshot: Snapshot, plan: Plan): Snapshot {
	const byJob = new Map(plan.actions.map((a) => [a.jobId, a]));
	const pools = snapshot.pools.map((pool) => {
		const given = plan.actions.flatMap((a) => (a.kind === "place_home" && a.poolId === pool.id ? a.slots : []));
		return { ...pool, freeSlots: pool.freeSlots.filter((s) => !given.includes(s)) };
	});
	const started = plan.actions.flatMap((a) => {
		if (a.kind !== "place_home") return [];
		const job = specOf(snapshot, a.jobId);
		return [
			{
				...aJob("x").running(a.poolId, a.slots, 0),
				jobId: a.jobId,
				attemptId: `att_${a.jobId}`,
				spec: job.spec,
				startedAtMs: null,
				completedMs: job.completedMs,
			},
		];
	});
	const leaving = plan.actions.flatMap((a) =>
		a.kind === "evict" ? [{ stopReason: a.reason, askedAtMs: snapshot.nowMs, endedAtMs: null }] : [],
	);
	const rooms = keptRooms(leaving, snapshot.nowMs);
	const pending = snapshot.pending.flatMap((job): PendingJob[] => {
		const kind = byJob.get(job.jobId)?.kind;
		if (kind === "place_home" || kind === "launch" || kind === "fail") return [];
		return [{ ...job, room: rooms.get(job.jobId) ?? null, state: kind === "hold" ? "held" : kind === "release" ? "queued" : job.state }];
	});
	const budgets = snapshot.budgets.map((view) => ({
		...view,
		heldMicroUsd: view.heldMicroUsd + launchesOf(plan).reduce((sum, a) => sum + (a.budgetIds.includes(view.id) ? a.holdMicroUsd : 0n), 0n),
	}));
	const ending = new Set(plan.actions.flatMap((a) => ("attemptId" in a ? [a.attemptId] : [])));
	const running = snapshot.running.map((r) => (ending.has(r.attemptId) ? { ...r, stopping: true } : r));
	return { ...snapshot, pools, pending, budgets, running: [...running, ...started] };
}

describe("liveness", () => {
	it("starves no job: the lowest priority starts although a new job of the highest arrives every hour", () => {
		const policy = aPolicy({ rules: [] });
		let low: PendingJob | null = aJob("low").priority(0).build();
		let startedAfter = 0;
		for (let hour = 0; hour < 200 && low; hour++) {
			const nowMs = NOON_MS + hour * HOUR_MS;
			const rival = { ...aJob(`rival-${hour}`).priority(100).build(), pendingSinceMs: nowMs };
			// one slot, free every hour
			const plan = decide(aSnapshot({ nowMs, policy, pools: [aPool({ gpusPerNode: 1 })], pending: [low, rival] }));
			expect(plan.actions).toHaveLength(1);
			if (plan.actions[0]?.jobId === low.jobId) {
				low = null;
				startedAfter = hour;
			}
		}
		expect(low).toBeNull();
		expect(startedAfter).toBe(100);
	});

	it("starves no big job: a steady stream of small ones does not push its start back", () => {
		const policy = aPolicy({ rules: [] });
		let nowMs = NOON_MS;
		let running = [aJob("old").gpus(3).running("home-a", [0, 1, 2], 0)];
		const big = { ...aJob("big").gpus(4).build(), pendingSinceMs: NOON_MS - 1 };
		let bigStarted = false;
		for (let step = 0; step < 40 && !bigStarted; step++, nowMs += HOUR_MS / 4) {
			running = running.filter((r) => (r.startedAtMs ?? 0) + HOUR_MS > nowMs);
			const busy = new Set(running.flatMap((r) => r.slots));
			const small = { ...aJob(`small-${step}`).build(), pendingSinceMs: nowMs };
			const pools = [aPool({ freeSlots: [0, 1, 2, 3].filter((s) => !busy.has(s)) })];
			const plan = decide(aSnapshot({ nowMs, policy, pools, running, pending: [big, small] }));
			for (const a of plan.actions) {
				if (a.kind !== "place_home") continue;
				if (a.jobId === big.jobId) bigStarted = true;
				else running.push({ ...aJob(a.jobId.slice(4)).running(a.poolId, a.slots, 0), startedAtMs: nowMs });
			}
		}
		expect(bigStarted).toBe(true);
		// the three slots of `old` become free after an hour; no job may hold the fourth beyond that
		expect(nowMs - NOON_MS).toBeLessThanOrEqual(1.5 * HOUR_MS);
	});
});
