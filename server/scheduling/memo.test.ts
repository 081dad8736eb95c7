import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Policy, RuleEffect } from "#server/domain/policy.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { seededRandom } from "#server/kernel/random.ts";
import { cases } from "#server/kernel/testing/deep.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { decide } from "./decide.ts";
import { inCloud } from "./running/testing/input.ts";
import { anySnapshot } from "./testing/arbitrary.ts";
import { aJob, anOffer, aPolicy, aPool, aSnapshot, burstRule, NOON_MS } from "./testing/builders.ts";
import type { Action, DecideMemo, PendingJob, RunningAttempt, Snapshot } from "./types.ts";

type Random = ReturnType<typeof seededRandom>;

/** Possible changes between two snapshots. Unchanged entries stay the same object. */
const CHANGES: Record<string, (s: Snapshot, random: Random) => Partial<Snapshot>> = {
	nothing: () => ({}),
	time: (s, random) => ({ nowMs: s.nowMs + random.int(1, 90) * MINUTE_MS }),
	"a few minutes": (s, random) => ({ nowMs: s.nowMs + random.int(1, 6) * MINUTE_MS }),
	"an instant": (s, random) => ({ nowMs: s.nowMs + random.int(1, 5) }),
	"an end": (s, random) => {
		if (s.running.length === 0) return {};
		const gone = random.pick(s.running);
		const pools = s.pools.map((p) =>
			p.id === gone.placement.poolId
				? { ...p, freeSlots: [...new Set([...p.freeSlots, ...inPool(gone.slots, p)])].sort((a, b) => a - b) }
				: p,
		);
		return { running: s.running.filter((a) => a !== gone), pools };
	},
	"a start": (s, random) => {
		const pool = s.pools.find((p) => p.freeSlots.length > 0);
		const slot = pool?.freeSlots[0];
		if (!pool || slot === undefined) return {};
		const attempt = { ...aJob(`new-${random.int(0, 1e9)}`).running(pool.id, [slot], 0), startedAtMs: s.nowMs, placedAtMs: s.nowMs };
		const pools = s.pools.map((p) => (p === pool ? { ...p, freeSlots: p.freeSlots.slice(1) } : p));
		// at a random index, because the list has no order
		const at = random.int(0, s.running.length);
		return { running: [...s.running.slice(0, at), attempt, ...s.running.slice(at)], pools };
	},
	"a swap": (s) => {
		const last = s.running.at(-1);
		return last && s.running.length > 1 ? { running: [last, ...s.running.slice(1, -1)] } : {};
	},
	"a stop": (s, random) => {
		if (s.running.length === 0) return {};
		const one = random.pick(s.running);
		return { running: s.running.map((a) => (a === one ? { ...a, stopping: true } : a)) };
	},
	"a move home": (s, random) => {
		const pool = s.pools.find((p) => p.freeSlots.length > 0);
		const slot = pool?.freeSlots[0];
		if (!pool || slot === undefined || s.running.length === 0) return {};
		const one = random.pick(s.running);
		return {
			running: s.running.map((a) => (a === one ? { ...a, movingTo: { kind: "home" as const, poolId: pool.id, slots: [slot] } } : a)),
		};
	},
	"room for one": (s, random) => {
		const leaver = s.running.find((a) => a.placement.poolId !== null);
		if (!leaver || s.pending.length === 0) return {};
		const one = random.pick(s.pending);
		const room = { poolId: leaver.placement.poolId ?? "", slots: [...leaver.slots], ruleId: "r" };
		return {
			running: s.running.map((a) => (a === leaver ? { ...a, stopping: true } : a)),
			pending: s.pending.map((job) => (job === one ? { ...job, room } : job)),
		};
	},
	"a new job": (s, random) => {
		const job = aJob(`late-${random.int(0, 1e9)}`)
			.gpus(random.int(1, 4))
			.estimate(random.int(1, 300) * MINUTE_MS)
			.build();
		return { pending: [...s.pending, { ...job, submittedAtMs: s.nowMs, pendingSinceMs: s.nowMs }] };
	},
	"a job less": (s, random) => (s.pending.length === 0 ? {} : { pending: without(s.pending, random.pick(s.pending)) }),
	offers: (s, random) => ({
		offers: s.offers.map((o) => (random.int(0, 3) === 0 ? { ...o, backoffUntilMs: s.nowMs + random.int(-5, 30) * MINUTE_MS } : o)),
	}),
	"an offer more": (s, random) => ({ offers: [...s.offers, anOffer({ region: `new-${random.int(0, 1e9)}`, usd: random.int(1, 9) })] }),
	history: (_s, random) => ({
		durations: [
			{ team: "risk", namePattern: "*", samples: 5, p50Ms: random.int(1, 100) * MINUTE_MS, p90Ms: random.int(100, 300) * MINUTE_MS },
		],
	}),
	policy: (_, random) => ({ policy: aPolicy({ rules: [["burst", null, burstRule({ forecastWaitMs: random.int(0, 3) * HOUR_MS })]] }) }),
	"a pool's health": (s, random) => {
		if (s.pools.length === 0) return {};
		const one = random.pick(s.pools);
		return { pools: s.pools.map((p) => (p === one ? { ...p, healthy: !p.healthy } : p)) };
	},
	"somebody else's job": (s, random) => {
		const pool = s.pools[0];
		if (!pool) return {};
		const startedAtMs = random.int(0, 1) === 0 ? null : s.nowMs - random.int(0, 50) * MINUTE_MS;
		const job = { id: `f${random.int(0, 1e9)}`, poolId: pool.id, nodes: 1, gpusPerNode: 1, startedAtMs, limitMs: HOUR_MS };
		return { foreign: [...(s.foreign ?? []), { ...job, slots: startedAtMs === null ? [] : [0], position: random.int(0, 5) }] };
	},
};
/** Cloud work that started this long ago, on the n-th offer. */
const cloudWork = fc.record({ offer: fc.nat(11), ranMs: fc.integer({ min: -5, max: 300 }), hours: fc.integer({ min: 1, max: 60 }) });

/** Attempts with values that change with the clock, as a replay keeps them: the start, and the next checkpoint. */
function withCloudWork(
	snapshot: Snapshot,
	work: { offer: number; ranMs: number; hours: number }[],
	savingMicroUsd: bigint,
	clock: { nowMs: number },
): Snapshot {
	const { offers } = snapshot;
	const intervalMs = 15 * MINUTE_MS;
	const running = work.flatMap(({ offer: at, ranMs: minutes, hours }, i): RunningAttempt[] => {
		const offer = offers[at % Math.max(1, offers.length)];
		if (!offer) return [];
		const startMs = snapshot.nowMs - minutes * MINUTE_MS;
		const base = inCloud(aJob(`cloud-${i}`).estimate(hours * HOUR_MS));
		return [
			{
				...base,
				placement: { ...base.placement, provider: offer.provider, region: offer.region, capacityType: offer.capacityType },
				offerId: offer.id,
				microUsdPerHour: offer.microUsdPerHour,
				expiresAtMs: null,
				get startedAtMs() {
					return clock.nowMs >= startMs ? startMs : null;
				},
				get nextCheckpointAtMs() {
					return startMs + Math.max(1, Math.ceil((clock.nowMs - startMs) / intervalMs)) * intervalMs;
				},
			},
		];
	});
	const move = (to: "home" | "cheaper"): Policy["rules"][number] => {
		return { id: `move-${to}`, when: null, line: 90, effect: { kind: "move", to: [to], savingMicroUsd } };
	};
	const policy = { ...snapshot.policy, rules: [...snapshot.policy.rules, move("home"), move("cheaper")] };
	return { ...snapshot, policy, running: [...snapshot.running, ...running] };
}

/** A full pool of long runs that save their work every quarter of an hour by the clock, and a rule that makes room for newcomers. */
function withHomeWork(work: { gpus: number; ranMs: number }[], clock: { nowMs: number }): Snapshot {
	const intervalMs = 15 * MINUTE_MS;
	const [nodes, gpusPerNode] = [4, 4];
	const running = work.slice(0, nodes * 2).map(({ gpus, ranMs: minutes }, i): RunningAttempt => {
		const startMs = clock.nowMs - minutes * MINUTE_MS;
		// at most two of them on each node, with at most two slots each
		const slots = Array.from({ length: Math.min(gpus, 2) }, (_, n) => i * 2 + n);
		const job = aJob(`home-${i}`)
			.gpus(slots.length)
			.estimate(60 * HOUR_MS)
			.running("home-a", slots, minutes * MINUTE_MS);
		const saved = (): number => Math.max(0, Math.floor((clock.nowMs - startMs) / intervalMs)) * intervalMs;
		return {
			...job,
			spec: { ...job.spec, checkpoint: { path: "/c", intervalMs } },
			get savedMs() {
				return saved();
			},
			get nextCheckpointAtMs() {
				return startMs + Math.max(1, Math.ceil((clock.nowMs - startMs) / intervalMs)) * intervalMs;
			},
		};
	});
	return aSnapshot({
		pools: [aPool({ nodes, gpusPerNode, freeSlots: [] })],
		offers: [anOffer({ gpus: 4 })],
		running,
		policy: aPolicy({
			rules: [
				["leave", null, burstRule({ always: true })],
				["room", null, { kind: "preempt", classes: ["burst"], longerBy: 1 }],
			],
		}),
		cloudStartMs: { p50Ms: 4 * MINUTE_MS, p90Ms: 4 * MINUTE_MS },
	});
}

/** The same with free slots that no one holds, a rule that moves work home, and a wide job in the cloud that finds no whole node. */
function withGapsAtHome(work: { gpus: number; ranMs: number }[], clock: { nowMs: number }): Snapshot {
	const snapshot = withHomeWork(work, clock);
	const held = new Set(snapshot.running.flatMap(({ slots }) => slots));
	const freeSlots = Array.from({ length: 16 }, (_, slot) => slot).filter((slot) => !held.has(slot));
	const wide = inCloud(
		aJob("wide")
			.gpus(4)
			.estimate(60 * HOUR_MS),
	);
	const goHome: [string, null, RuleEffect] = ["go-home", null, { kind: "move", to: ["home"], savingMicroUsd: 0n }];
	return {
		...snapshot,
		pools: [aPool({ nodes: 4, freeSlots })],
		running: [...snapshot.running, { ...wide, nextCheckpointAtMs: clock.nowMs + MINUTE_MS }],
		policy: aPolicy({ rules: [["leave", null, burstRule({ always: true })], goHome] }),
	};
}

const NAMES = Object.keys(CHANGES);

function inPool(slots: readonly number[], pool: { nodes: number; gpusPerNode: number }): number[] {
	return slots.filter((slot) => slot < pool.nodes * pool.gpusPerNode);
}

function without(jobs: readonly PendingJob[], one: PendingJob): PendingJob[] {
	return jobs.filter((job) => job !== one);
}

/** Drops the one fact of a reason that differs when only actions are requested. */
function withoutP90(action: Action): Action {
	return { ...action, reason: { ...action.reason, facts: { ...action.reason.facts, startP90Ms: null } } };
}

describe("a memo", () => {
	it("changes no plan, whatever happened since the last cycle", () => {
		fc.assert(
			fc.property(
				anySnapshot,
				fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 25 }),
				fc.string(),
				(first, changes, seed) => {
					const random = seededRandom(seed);
					const memo: DecideMemo = { kept: new Map() };
					let snapshot = first;
					expect(decide(snapshot, { memo })).toEqual(decide(snapshot));
					for (const name of changes) {
						snapshot = { ...snapshot, ...CHANGES[name]?.(snapshot, random) };
						expect(decide(snapshot, { memo }), name).toEqual(decide(snapshot));
					}
				},
			),
			{ numRuns: cases(40, 200) },
		);
	});

	it("changes no move of work tracked by the clock from checkpoint to checkpoint", () => {
		let moves = 0;
		fc.assert(
			fc.property(
				anySnapshot,
				fc.array(cloudWork, { minLength: 1, maxLength: 8 }),
				fc.integer({ min: 0, max: 30 }),
				fc.array(fc.constantFrom(...NAMES, "time", "a few minutes", "a few minutes"), { minLength: 1, maxLength: 25 }),
				fc.string(),
				(any, work, usd, changes, seed) => {
					const random = seededRandom(seed);
					const clock = { nowMs: any.nowMs };
					const memo: DecideMemo = { kept: new Map() };
					let snapshot = withCloudWork(any, work, usdToMicro(usd), clock);
					for (const name of ["nothing", ...changes]) {
						snapshot = { ...snapshot, ...CHANGES[name]?.(snapshot, random) };
						clock.nowMs = snapshot.nowMs;
						const plan = decide(snapshot, { memo });
						expect(plan, name).toEqual(decide(snapshot));
						moves += plan.actions.filter(({ kind }) => kind === "move").length;
					}
				},
			),
			{ numRuns: cases(60, 300) },
		);
		expect(moves).toBeGreaterThan(0);
	});

	it("clears the same nodes at home", () => {
		let moves = 0;
		fc.assert(
			fc.property(
				fc.array(fc.record({ gpus: fc.integer({ min: 1, max: 2 }), ranMs: fc.integer({ min: 5, max: 900 }) }), {
					minLength: 4,
					maxLength: 8,
				}),
				fc.array(fc.constantFrom("time", "a few minutes", "an instant", "an end"), { minLength: 1, maxLength: 15 }),
				fc.string(),
				(work, changes, seed) => {
					const random = seededRandom(seed);
					const clock = { nowMs: NOON_MS };
					const memo: DecideMemo = { kept: new Map() };
					let snapshot = withGapsAtHome(work, clock);
					for (const name of ["nothing", ...changes]) {
						snapshot = { ...snapshot, ...CHANGES[name]?.(snapshot, random) };
						clock.nowMs = snapshot.nowMs;
						const plan = decide(snapshot, { memo });
						expect(plan, name).toEqual(decide(snapshot));
						moves += plan.actions.filter(({ reason: { code } }) => code === "moving_together").length;
					}
				},
			),
			{ numRuns: cases(40, 200) },
		);
		expect(moves).toBeGreaterThan(0);
	});

	it("is not used for an earlier moment, and is not corrupted by it", () => {
		fc.assert(
			fc.property(anySnapshot, fc.integer({ min: 1, max: 600 }), (snapshot, minutes) => {
				const memo: DecideMemo = { kept: new Map() };
				decide({ ...snapshot, nowMs: snapshot.nowMs + minutes * MINUTE_MS }, { memo });
				expect(decide(snapshot, { memo })).toEqual(decide(snapshot));
			}),
			{ numRuns: cases(20, 100) },
		);
	});

	it("makes the same room for newcomers among home work tracked by the clock", () => {
		let evictions = 0;
		fc.assert(
			fc.property(
				fc.array(fc.record({ gpus: fc.integer({ min: 1, max: 3 }), ranMs: fc.integer({ min: 5, max: 900 }) }), {
					minLength: 1,
					maxLength: 8,
				}),
				fc.array(fc.constantFrom("time", "a few minutes", "an instant", "a new job", "an end", "a job less"), {
					minLength: 1,
					maxLength: 25,
				}),
				fc.string(),
				(work, changes, seed) => {
					const random = seededRandom(seed);
					const clock = { nowMs: NOON_MS };
					const memo: DecideMemo = { kept: new Map() };
					let snapshot = withHomeWork(work, clock);
					for (const name of ["a new job", ...changes]) {
						snapshot = { ...snapshot, ...CHANGES[name]?.(snapshot, random) };
						clock.nowMs = snapshot.nowMs;
						const plan = decide(snapshot, { memo });
						expect(plan, name).toEqual(decide(snapshot));
						evictions += plan.actions.filter(({ kind }) => kind === "evict").length;
					}
				},
			),
			{ numRuns: cases(40, 200) },
		);
		expect(evictions).toBeGreaterThan(0);
	});

	it("gives the same actions when only actions are requested, whatever happened since the last plan", () => {
		fc.assert(
			fc.property(
				anySnapshot,
				fc.array(cloudWork, { maxLength: 4 }),
				fc.array(fc.constantFrom(...NAMES), { maxLength: 15 }),
				fc.string(),
				(any, work, changes, seed) => {
					const random = seededRandom(seed);
					const clock = { nowMs: any.nowMs };
					const memo: DecideMemo = { kept: new Map() };
					let snapshot = withCloudWork(any, work, usdToMicro(5), clock);
					for (const name of ["nothing", ...changes]) {
						snapshot = { ...snapshot, ...CHANGES[name]?.(snapshot, random) };
						clock.nowMs = snapshot.nowMs;
						const { actions, ...rest } = decide(snapshot, { memo, actionsOnly: true });
						expect(rest).toEqual({ explanations: [], forecasts: new Map(), replayed: new Map(), waiting: new Map() });
						expect(actions.map(withoutP90), name).toEqual(decide(snapshot).actions.map(withoutP90));
					}
				},
			),
			{ numRuns: cases(40, 200) },
		);
	});

	it("omits only the explanations in brief mode", () => {
		fc.assert(
			fc.property(anySnapshot, (snapshot) => {
				const { explanations, ...plan } = decide(snapshot, { brief: true });
				const { explanations: _, ...full } = decide(snapshot);
				expect(explanations).toEqual([]);
				expect(plan).toEqual(full);
			}),
			{ numRuns: cases(20, 100) },
		);
	});
});
