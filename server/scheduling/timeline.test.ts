import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EndTable } from "./end-table.ts";
import { PoolReplay } from "./replay.ts";
import { NodeTimeline } from "./timeline.ts";

/** The same node, minute by minute: slow and obviously correct. */
class MinuteByMinute {
	readonly free: number[];
	constructor(capacity: number, releases: readonly number[]) {
		this.free = Array.from({ length: 3000 }, (_, t) => capacity - releases.filter((at) => at > t).length);
	}
	earliest(slots: number, length: number): number {
		for (let t = 0; ; t++) if (this.free.slice(t, t + length).every((f) => f >= slots)) return t;
	}
	reserve(start: number, length: number, slots: number): void {
		for (let t = start; t < start + length; t++) this.free[t] = (this.free[t] ?? 0) - slots;
	}
}

function replayOf(capacity: number, nodes: readonly (readonly number[])[]): PoolReplay {
	const table = new EndTable(nodes.length, capacity);
	for (const [node, releases] of nodes.entries()) table.set(node, releases);
	return new PoolReplay(table, 0);
}

const nodesArb = fc.integer({ min: 1, max: 4 }).chain((capacity) =>
	fc.record({
		capacity: fc.constant(capacity),
		nodes: fc.array(fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: capacity }), { minLength: 1, maxLength: 4 }),
		jobs: fc.array(fc.record({ slots: fc.integer({ min: 1, max: capacity }), length: fc.integer({ min: 1, max: 20 }) }), { maxLength: 25 }),
	}),
);

describe("the replay of a pool", () => {
	it("gives every job the earliest start that delays none before it, like a minute-by-minute one", () => {
		fc.assert(
			fc.property(nodesArb, ({ capacity, nodes, jobs }) => {
				const replay = replayOf(capacity, nodes);
				const slow = nodes.map((releases) => new MinuteByMinute(capacity, releases));
				for (const { slots, length } of jobs) {
					const at = replay.findStart(1, slots, length);
					expect(at?.startMs).toBe(Math.min(...slow.map((node) => node.earliest(slots, length))));
					for (const node of at?.nodes ?? []) {
						replay.reserve(node, at?.startMs ?? 0, length, slots);
						slow[node]?.reserve(at?.startMs ?? 0, length, slots);
					}
				}
				expect(Math.min(...slow.flatMap((node) => node.free))).toBeGreaterThanOrEqual(0);
			}),
		);
	});

	it("starts a gang when all of its nodes are ready, and never in part", () => {
		fc.assert(
			fc.property(nodesArb, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 2, max: 4 }), ({ capacity, nodes, jobs }, slots, count) => {
				const replay = replayOf(capacity, nodes);
				const slow = nodes.map((releases) => new MinuteByMinute(capacity, releases));
				for (const job of jobs) {
					const at = replay.findStart(1, job.slots, job.length);
					if (!at) continue;
					replay.reserve(at.nodes[0] ?? 0, at.startMs, job.length, job.slots);
					slow[at.nodes[0] ?? 0]?.reserve(at.startMs, job.length, job.slots);
				}
				const gang = replay.findStart(count, slots, 7);
				if (count > nodes.length || slots > capacity) {
					expect(gang).toBeNull();
					return;
				}
				const readyAt = (t: number): number => slow.filter((node) => node.free.slice(t, t + 7).every((f) => f >= slots)).length;
				let want = 0;
				while (readyAt(want) < count) want++;
				expect(gang?.startMs).toBe(want);
				expect(new Set(gang?.nodes).size).toBe(count);
			}),
		);
	});

	it("forgets late gaps rather than growing without limit, and is then late but never early", () => {
		const node = new NodeTimeline(0, 1, []);
		for (let i = 0; i < 500; i++) node.reserve(10 * i + 5, 5, 1);
		expect(node.earliest(1, 5, 0)).toBe(0);
		expect(node.earliest(1, 6, 0)).toBe(5000);
	});
});
