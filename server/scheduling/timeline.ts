import { LIMITS } from "./limits.ts";

/**
 * The forecast number of free slots of one node over time, as a step function.
 * Segment i holds from #times[i] to #times[i + 1]; the last one never ends, so every job that fits the empty node has a start. Leading
 * segments without a free slot are dropped, because they can never be used again.
 * One object serves its node for all cycles (`open`): this is the inner loop of a cycle, and allocates nothing.
 */
export class NodeTimeline {
	#times: Float64Array;
	#free: Int32Array;
	#size = 0;
	#maxSteps = 0;
	readonly #found = { shortStartMs: 0, startMs: 0 };

	/** @param releasesMs when each busy slot becomes free, ascending */
	constructor(nowMs: number, freeNow: number, releasesMs: ArrayLike<number>) {
		// Two more steps than are kept: a reservation splits twice before it drops a gap.
		const capacity = freeNow + releasesMs.length + LIMITS.timelineGaps + 3;
		this.#times = new Float64Array(capacity);
		this.#free = new Int32Array(capacity);
		this.open(nowMs, freeNow, releasesMs);
	}

	/** Clears all reservations. The number of slots stays the same. */
	open(nowMs: number, freeNow: number, releasesMs: ArrayLike<number>): void {
		const [times, free] = [this.#times, this.#free];
		times[0] = nowMs;
		free[0] = freeNow;
		let last = 0;
		for (let i = 0; i < releasesMs.length; i++) {
			const at = releasesMs[i] ?? nowMs;
			const then = (free[last] ?? 0) + 1;
			if ((times[last] ?? 0) < at) times[++last] = at;
			free[last] = then;
		}
		this.#size = last + 1;
		this.#maxSteps = freeNow + releasesMs.length + LIMITS.timelineGaps;
		this.#dropFullStart();
	}

	/** The earliest time from `fromMs` on at which `slots` stay free for `lengthMs`; infinite when the node has fewer. */
	earliest(slots: number, lengthMs: number, fromMs: number): number {
		return this.search(slots, lengthMs, lengthMs, fromMs).startMs;
	}

	/**
	 * One pass for two lengths, shortMs <= lengthMs: the earliest start for each.
	 * The result is one object per node, overwritten by the next search.
	 */
	search(slots: number, shortMs: number, lengthMs: number, fromMs: number): Readonly<{ shortStartMs: number; startMs: number }> {
		const [times, free, size] = [this.#times, this.#free, this.#size];
		const found = this.#found;
		found.shortStartMs = Number.POSITIVE_INFINITY;
		found.startMs = Number.POSITIVE_INFINITY;
		let start = -1;
		for (let i = 0; i < size; i++) {
			if ((free[i] ?? 0) < slots) {
				start = -1;
				continue;
			}
			const end = i + 1 < size ? (times[i + 1] ?? 0) : Number.POSITIVE_INFINITY;
			if (end <= fromMs) continue;
			if (start < 0) start = Math.max(times[i] ?? 0, fromMs);
			if (end - start < shortMs) continue;
			if (found.shortStartMs === Number.POSITIVE_INFINITY) found.shortStartMs = start;
			if (end - start < lengthMs) continue;
			found.startMs = start;
			break;
		}
		return found;
	}

	freeAt(atMs: number): number {
		let free = 0;
		for (let i = 0; i < this.#size && (this.#times[i] ?? 0) <= atMs; i++) free = this.#free[i] ?? 0;
		return free;
	}

	/** Takes slots for a period. Missing slots are skipped, so the two replays may differ on a node. */
	reserve(startMs: number, lengthMs: number, slots: number): void {
		const free = this.#free;
		const from = this.#split(startMs);
		const to = this.#split(startMs + lengthMs);
		for (let i = from; i < to; i++) free[i] = Math.max(0, (free[i] ?? 0) - slots);
		this.#mergeAt(to);
		this.#mergeAt(from);
		this.#dropFullStart();
		while (this.#size > this.#maxSteps && this.#forgetLatestGap());
	}

	/** The index of the segment that starts at `atMs`, created if there is none. */
	#split(atMs: number): number {
		const [times, free] = [this.#times, this.#free];
		let i = this.#size - 1;
		while (i > 0 && (times[i] ?? 0) > atMs) i--;
		if ((times[i] ?? 0) >= atMs) return i;
		for (let at = this.#size; at > i + 1; at--) {
			times[at] = times[at - 1] ?? 0;
			free[at] = free[at - 1] ?? 0;
		}
		times[i + 1] = atMs;
		free[i + 1] = free[i] ?? 0;
		this.#size++;
		return i + 1;
	}

	#mergeAt(i: number): void {
		if (i > 0 && i < this.#size && this.#free[i] === this.#free[i - 1]) this.#remove(i, 1);
	}

	#remove(i: number, count: number): void {
		const [times, free] = [this.#times, this.#free];
		this.#size -= count;
		for (let at = i; at < this.#size; at++) {
			times[at] = times[at + count] ?? 0;
			free[at] = free[at + count] ?? 0;
		}
	}

	#dropFullStart(): void {
		let full = 0;
		while (full < this.#size - 1 && this.#free[full] === 0) full++;
		if (full > 0) this.#remove(0, full);
	}

	/** A gap is a segment with more free slots than the next one. The latest gap serves the fewest jobs. */
	#forgetLatestGap(): boolean {
		for (let i = this.#size - 2; i >= 0; i--) {
			const after = this.#free[i + 1] ?? 0;
			if ((this.#free[i] ?? 0) <= after) continue;
			this.#free[i] = after;
			this.#remove(i + 1, 1);
			this.#mergeAt(i);
			this.#dropFullStart();
			return true;
		}
		return false;
	}
}
