import { LIMITS } from "./limits.ts";

/**
 * How many slots of one node are free when, as far as the forecast knows: a step function over time.
 * Segment i holds from #times[i] to #times[i + 1]; the last one never ends, so every job that fits the empty node has a start.
 * Leading segments without a free slot are dropped: they can never be used again.
 */
export class NodeTimeline {
	readonly #times: number[];
	readonly #free: number[];
	readonly #maxSteps: number;

	/** @param releasesMs when each busy slot comes free, in any order */
	constructor(nowMs: number, freeNow: number, releasesMs: readonly number[]) {
		this.#times = [nowMs];
		this.#free = [freeNow];
		for (const at of [...releasesMs].sort((a, b) => a - b)) {
			const last = this.#times.length - 1;
			const free = (this.#free[last] ?? 0) + 1;
			if ((this.#times[last] ?? 0) >= at) this.#free[last] = free;
			else {
				this.#times.push(at);
				this.#free.push(free);
			}
		}
		this.#maxSteps = freeNow + releasesMs.length + LIMITS.timelineGaps;
		this.#dropFullStart();
	}

	/** No job can start here before. */
	get firstFreeMs(): number {
		return this.#times[0] ?? Number.POSITIVE_INFINITY;
	}

	/** The earliest time from `fromMs` on at which `slots` stay free for `lengthMs`; infinite when the node has fewer. */
	earliest(slots: number, lengthMs: number, fromMs: number): number {
		const times = this.#times;
		const free = this.#free;
		let start = -1;
		for (let i = 0; i < times.length; i++) {
			const end = times[i + 1] ?? Number.POSITIVE_INFINITY;
			if ((free[i] ?? 0) < slots || end <= fromMs) {
				start = -1;
				continue;
			}
			if (start < 0) start = Math.max(times[i] ?? 0, fromMs);
			if (end - start >= lengthMs) return start;
		}
		return Number.POSITIVE_INFINITY;
	}

	freeAt(atMs: number): number {
		let free = 0;
		for (let i = 0; i < this.#times.length && (this.#times[i] ?? 0) <= atMs; i++) free = this.#free[i] ?? 0;
		return free;
	}

	/** Takes slots for a while; what is not there is not taken, so that the two replays may differ on a node. */
	reserve(startMs: number, lengthMs: number, slots: number): void {
		const from = this.#split(startMs);
		const to = this.#split(startMs + lengthMs);
		for (let i = from; i < to; i++) this.#free[i] = Math.max(0, (this.#free[i] ?? 0) - slots);
		this.#mergeAt(to);
		this.#mergeAt(from);
		this.#dropFullStart();
		while (this.#times.length > this.#maxSteps && this.#forgetLatestGap());
	}

	/** The index of the segment that begins at `atMs`, made if there is none. */
	#split(atMs: number): number {
		let i = this.#times.length - 1;
		while (i > 0 && (this.#times[i] ?? 0) > atMs) i--;
		if ((this.#times[i] ?? 0) >= atMs) return i;
		this.#times.splice(i + 1, 0, atMs);
		this.#free.splice(i + 1, 0, this.#free[i] ?? 0);
		return i + 1;
	}

	#mergeAt(i: number): void {
		if (i > 0 && i < this.#times.length && this.#free[i] === this.#free[i - 1]) this.#remove(i);
	}

	#remove(i: number): void {
		this.#times.splice(i, 1);
		this.#free.splice(i, 1);
	}

	#dropFullStart(): void {
		while (this.#times.length > 1 && this.#free[0] === 0) this.#remove(0);
	}

	/** A gap is a segment with more free slots than the one behind it. The latest serves the fewest jobs. */
	#forgetLatestGap(): boolean {
		for (let i = this.#times.length - 2; i >= 0; i--) {
			const after = this.#free[i + 1] ?? 0;
			if ((this.#free[i] ?? 0) <= after) continue;
			this.#free[i] = after;
			this.#remove(i + 1);
			this.#mergeAt(i);
			this.#dropFullStart();
			return true;
		}
		return false;
	}
}

/** The nodes that a job would start on together, and when. */
export interface Slotting {
	startMs: number;
	nodes: number[];
}

/**
 * The earliest start of a job on `count` equal nodes at once, `slots` on each, for `lengthMs`; null when it never fits.
 * Of nodes that are ready at the same time the fullest is taken, so that big gaps stay whole; then the lowest number.
 */
export function findStart(nodes: readonly NodeTimeline[], count: number, slots: number, lengthMs: number, nowMs: number): Slotting | null {
	return count === 1 ? findOne(nodes, slots, lengthMs, nowMs) : findGang(nodes, count, slots, lengthMs, nowMs);
}

function findOne(nodes: readonly NodeTimeline[], slots: number, lengthMs: number, nowMs: number): Slotting | null {
	let bestMs = Number.POSITIVE_INFINITY;
	let bestNode = -1;
	let bestFree = 0;
	for (const [i, node] of nodes.entries()) {
		if (node.firstFreeMs > bestMs) continue;
		const startMs = node.earliest(slots, lengthMs, nowMs);
		if (startMs === Number.POSITIVE_INFINITY || startMs > bestMs) continue;
		const free = node.freeAt(startMs);
		if (startMs < bestMs || free < bestFree) {
			bestMs = startMs;
			bestNode = i;
			bestFree = free;
		}
	}
	return bestNode < 0 ? null : { startMs: bestMs, nodes: [bestNode] };
}

/** Tries the time at which enough nodes have a start each, until that many hold at one and the same time. */
function findGang(nodes: readonly NodeTimeline[], count: number, slots: number, lengthMs: number, nowMs: number): Slotting | null {
	let fromMs = nowMs;
	for (;;) {
		const starts = nodes.map((node, index) => ({ index, at: node.earliest(slots, lengthMs, fromMs) }));
		const ready = starts.filter((s) => s.at === fromMs);
		if (ready.length >= count) {
			const fullest = ready
				.map((s) => ({ ...s, free: nodes[s.index]?.freeAt(fromMs) ?? 0 }))
				.sort((a, b) => a.free - b.free || a.index - b.index);
			return {
				startMs: fromMs,
				nodes: fullest
					.slice(0, count)
					.map((s) => s.index)
					.sort((a, b) => a - b),
			};
		}
		const next = starts.map((s) => s.at).sort((a, b) => a - b)[count - 1];
		if (next === undefined || next === Number.POSITIVE_INFINITY) return null;
		// No earlier time can have enough nodes: each one's own start from here on is at least its entry.
		fromMs = next;
	}
}
