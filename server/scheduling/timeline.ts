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
	readonly #found = { shortStartMs: 0, startMs: 0 };

	/** @param releasesMs when each busy slot comes free, ascending */
	constructor(nowMs: number, freeNow: number, releasesMs: ArrayLike<number>) {
		this.#times = [nowMs];
		this.#free = [freeNow];
		for (let i = 0; i < releasesMs.length; i++) {
			const at = releasesMs[i] ?? nowMs;
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

	/** The earliest time from `fromMs` on at which `slots` stay free for `lengthMs`; infinite when the node has fewer. */
	earliest(slots: number, lengthMs: number, fromMs: number): number {
		return this.search(slots, lengthMs, lengthMs, fromMs).startMs;
	}

	/**
	 * One pass for two lengths, shortMs <= lengthMs: the earliest start for each.
	 * The answer is one object a node, overwritten by the next search: this is the inner loop of a cycle.
	 */
	search(slots: number, shortMs: number, lengthMs: number, fromMs: number): Readonly<{ shortStartMs: number; startMs: number }> {
		const times = this.#times;
		const free = this.#free;
		const found = this.#found;
		found.shortStartMs = Number.POSITIVE_INFINITY;
		found.startMs = Number.POSITIVE_INFINITY;
		let start = -1;
		for (let i = 0; i < times.length; i++) {
			if ((free[i] ?? 0) < slots) {
				start = -1;
				continue;
			}
			const end = times[i + 1] ?? Number.POSITIVE_INFINITY;
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
