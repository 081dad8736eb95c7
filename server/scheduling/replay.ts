import { MinHeap } from "./min-heap.ts";
import type { NodeTimeline } from "./timeline.ts";

/** The nodes that a job would start on together, and when. */
export interface Slotting {
	startMs: number;
	nodes: number[];
}

/** One replay of the queue over the nodes of a pool. */
export class PoolReplay {
	readonly #nodes: readonly NodeTimeline[];
	readonly #nowMs: number;
	/**
	 * By slots and order of magnitude of the length: the nodes, keyed by a time before which such a job cannot start there.
	 * Reservations only ever make starts later, so a key that lags is still a bound and is put right when it comes up.
	 */
	readonly #ready = new Map<number, MinHeap>();

	constructor(nodes: readonly NodeTimeline[], nowMs: number) {
		this.#nodes = nodes;
		this.#nowMs = nowMs;
	}

	/**
	 * The earliest start of a job on `count` equal nodes at once, `slots` on each, for `lengthMs`; null when it never fits.
	 * Of nodes that are ready at the same time the fullest is taken, so that big gaps stay whole; then the lowest number.
	 */
	findStart(count: number, slots: number, lengthMs: number): Slotting | null {
		return count === 1 ? this.#findOne(slots, lengthMs) : this.#findGang(count, slots, lengthMs);
	}

	reserve(node: number, startMs: number, lengthMs: number, slots: number): void {
		this.#nodes[node]?.reserve(startMs, lengthMs, slots);
	}

	#findOne(slots: number, lengthMs: number): Slotting | null {
		const magnitude = Math.floor(Math.log2(Math.max(1, lengthMs)));
		const ready = this.#readyFor(slots, magnitude);
		const visited: number[] = [];
		const notBefore: number[] = [];
		let best: { startMs: number; node: number; free: number } | null = null;
		while (ready.leastKey <= (best?.startMs ?? Number.MAX_VALUE)) {
			const node = ready.pop();
			const timeline = node === undefined ? undefined : this.#nodes[node];
			if (node === undefined || !timeline) break;
			const { shortStartMs, startMs } = timeline.search(slots, 2 ** magnitude, lengthMs, this.#nowMs);
			visited.push(node);
			notBefore.push(shortStartMs);
			if (startMs > (best?.startMs ?? Number.MAX_VALUE)) continue;
			const free = timeline.freeAt(startMs);
			if (best === null || startMs < best.startMs || free < best.free || (free === best.free && node < best.node))
				best = { startMs, node, free };
		}
		for (const [i, node] of visited.entries()) ready.push(notBefore[i] ?? 0, node);
		return best && { startMs: best.startMs, nodes: [best.node] };
	}

	#readyFor(slots: number, magnitude: number): MinHeap {
		const key = slots * 64 + magnitude;
		const known = this.#ready.get(key);
		if (known) return known;
		const heap = new MinHeap();
		for (const [node, timeline] of this.#nodes.entries()) heap.push(timeline.earliest(slots, 2 ** magnitude, this.#nowMs), node);
		this.#ready.set(key, heap);
		return heap;
	}

	/** Tries the time at which enough nodes have a start each, until that many hold at one and the same time. */
	#findGang(count: number, slots: number, lengthMs: number): Slotting | null {
		let fromMs = this.#nowMs;
		for (;;) {
			const starts = this.#nodes.map((node, index) => ({ index, at: node.earliest(slots, lengthMs, fromMs) }));
			const ready = starts.filter((s) => s.at === fromMs).map((s) => ({ ...s, free: this.#nodes[s.index]?.freeAt(fromMs) ?? 0 }));
			if (ready.length >= count) {
				const fullest = ready.sort((a, b) => a.free - b.free || a.index - b.index).slice(0, count);
				return { startMs: fromMs, nodes: fullest.map((s) => s.index).sort((a, b) => a - b) };
			}
			const next = starts.map((s) => s.at).sort((a, b) => a - b)[count - 1];
			if (next === undefined || next === Number.POSITIVE_INFINITY) return null;
			// No earlier time can have enough nodes: each one's own start from here on is at least its entry.
			fromMs = next;
		}
	}
}
