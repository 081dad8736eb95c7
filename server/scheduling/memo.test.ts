import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededRandom } from "#server/kernel/random.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { decide } from "./decide.ts";
import { anySnapshot } from "./testing/arbitrary.ts";
import { aJob, anOffer, aPolicy, burstRule } from "./testing/builders.ts";
import type { DecideMemo, PendingJob, Snapshot } from "./types.ts";

type Random = ReturnType<typeof seededRandom>;

/** What may happen between two snapshots. What does not change stays the same object. */
const CHANGES: Record<string, (s: Snapshot, random: Random) => Partial<Snapshot>> = {
	nothing: () => ({}),
	time: (s, random) => ({ nowMs: s.nowMs + random.int(1, 90) * MINUTE_MS }),
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
		// at a random place of the list, which is in no order
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
const NAMES = Object.keys(CHANGES);

function inPool(slots: readonly number[], pool: { nodes: number; gpusPerNode: number }): number[] {
	return slots.filter((slot) => slot < pool.nodes * pool.gpusPerNode);
}

function without(jobs: readonly PendingJob[], one: PendingJob): PendingJob[] {
	return jobs.filter((job) => job !== one);
}

describe("a memo", () => {
	it("changes no plan, whatever happened since the last one", () => {
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
			{ numRuns: 200 },
		);
	});

	it("is of no use to an earlier moment, and is not misled by it", () => {
		fc.assert(
			fc.property(anySnapshot, fc.integer({ min: 1, max: 600 }), (snapshot, minutes) => {
				const memo: DecideMemo = { kept: new Map() };
				decide({ ...snapshot, nowMs: snapshot.nowMs + minutes * MINUTE_MS }, { memo });
				expect(decide(snapshot, { memo })).toEqual(decide(snapshot));
			}),
			{ numRuns: 100 },
		);
	});

	it("brief leaves out the explanations alone", () => {
		fc.assert(
			fc.property(anySnapshot, (snapshot) => {
				const { explanations, ...plan } = decide(snapshot, { brief: true });
				const { explanations: _, ...full } = decide(snapshot);
				expect(explanations).toEqual([]);
				expect(plan).toEqual(full);
			}),
			{ numRuns: 100 },
		);
	});
});
