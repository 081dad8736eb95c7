/** A binary heap of future events, ordered by time and then by scheduling order, so that a seed gives the same run everywhere. */
export class EventQueue<T> {
	readonly #times: number[] = [];
	readonly #sequences: number[] = [];
	readonly #items: T[] = [];
	#sequence = 0;

	/** Time of the first event, UTC ms; infinite when there is none. */
	get nextMs(): number {
		return this.#times[0] ?? Number.POSITIVE_INFINITY;
	}

	push(atMs: number, item: T): void {
		const sequence = this.#sequence++;
		const times = this.#times;
		let hole = times.length;
		times.push(atMs);
		this.#sequences.push(sequence);
		this.#items.push(item);
		while (hole > 0) {
			const parent = (hole - 1) >> 1;
			// A new event sorts after those of the same time.
			if ((times[parent] ?? atMs) <= atMs) break;
			this.#copy(parent, hole);
			hole = parent;
		}
		times[hole] = atMs;
		this.#sequences[hole] = sequence;
		this.#items[hole] = item;
	}

	pop(): T | undefined {
		const first = this.#items[0];
		const atMs = this.#times.pop();
		const sequence = this.#sequences.pop();
		const item = this.#items.pop();
		if (atMs === undefined || sequence === undefined || item === undefined || this.#times.length === 0) return first;
		const hole = this.#sink(atMs, sequence);
		this.#times[hole] = atMs;
		this.#sequences[hole] = sequence;
		this.#items[hole] = item;
		return first;
	}

	/** Moves the hole at the top down to the position for an item of this time and sequence. */
	#sink(atMs: number, sequence: number): number {
		const size = this.#times.length;
		let hole = 0;
		for (;;) {
			let child = 2 * hole + 1;
			if (child >= size) return hole;
			if (child + 1 < size && this.#isBefore(child + 1, this.#times[child] ?? 0, this.#sequences[child] ?? 0)) child++;
			if (!this.#isBefore(child, atMs, sequence)) return hole;
			this.#copy(child, hole);
			hole = child;
		}
	}

	#isBefore(index: number, atMs: number, sequence: number): boolean {
		const time = this.#times[index] ?? 0;
		return time !== atMs ? time < atMs : (this.#sequences[index] ?? 0) < sequence;
	}

	#copy(from: number, to: number): void {
		this.#times[to] = this.#times[from] ?? 0;
		this.#sequences[to] = this.#sequences[from] ?? 0;
		const item = this.#items[from];
		if (item !== undefined) this.#items[to] = item;
	}
}
