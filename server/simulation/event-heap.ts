/** What happens at a moment of virtual time. */
export interface SimEvent {
	atMs: number;
	/** Order of scheduling: events of one moment run in it, so that a seed gives the same run everywhere. */
	sequence: number;
	name: string;
	run: () => void;
}

/** A binary heap of events, earliest (time, sequence) first. */
export class EventHeap {
	readonly #items: SimEvent[] = [];
	#sequence = 0;

	get size(): number {
		return this.#items.length;
	}

	push(atMs: number, name: string, run: () => void): void {
		const items = this.#items;
		const event: SimEvent = { atMs, sequence: this.#sequence++, name, run };
		let at = items.length;
		items.push(event);
		while (at > 0) {
			const parent = (at - 1) >> 1;
			const above = items[parent];
			if (above === undefined || !isBefore(event, above)) break;
			items[at] = above;
			at = parent;
		}
		items[at] = event;
	}

	peek(): SimEvent | undefined {
		return this.#items[0];
	}

	pop(): SimEvent | undefined {
		const items = this.#items;
		const first = items[0];
		const last = items.pop();
		if (first === undefined || last === undefined || items.length === 0) return first;
		let at = 0;
		for (;;) {
			let child = 2 * at + 1;
			let below = items[child];
			const right = items[child + 1];
			if (below !== undefined && right !== undefined && isBefore(right, below)) {
				child++;
				below = right;
			}
			if (below === undefined || !isBefore(below, last)) break;
			items[at] = below;
			at = child;
		}
		items[at] = last;
		return first;
	}
}

function isBefore(a: SimEvent, b: SimEvent): boolean {
	return a.atMs !== b.atMs ? a.atMs < b.atMs : a.sequence < b.sequence;
}
