import type { EndTable } from "./end-table.ts";
import { MinHeap } from "./min-heap.ts";
import { NodeTimeline } from "./timeline.ts";

/** The nodes that a job would start on together, and when. */
export interface Slotting {
	startMs: number;
	nodes: number[];
}

/** From this many searches of one kind in one cycle on, its nodes are kept in a heap. For fewer, a walk over them is cheaper. */
const SEARCHES_BEFORE_HEAP = 2;

/**
 * One replay of the queue over the nodes of a pool. A node without reservations is read from the table of ends. Only nodes with
 * reservations get their own timeline, so a cycle with a short queue builds few.
 */
export class PoolReplay {
	readonly #table: EndTable;
	#nowMs = 0;
	/** Timelines of the nodes that have one in this cycle; `#kept` holds those of earlier cycles for reuse. */
	readonly #timelines: (NodeTimeline | undefined)[];
	readonly #kept: (NodeTimeline | undefined)[];
	/** Reservations of nodes without a timeline yet, as consecutive start, length and slots. */
	readonly #noted: (number[] | undefined)[];
	/** Nodes with a reservation that starts later than now. */
	readonly #later: Uint8Array;
	readonly #touched: number[] = [];
	/**
	 * Nodes by slots and order of magnitude of the length, keyed by a time before which such a job cannot start there. Reservations only ever
	 * make starts later, so an outdated key is still a lower bound and is corrected when it comes up.
	 */
	readonly #ready = new Map<number, { searches: number; heap: MinHeap | null }>();

	constructor(table: EndTable, nowMs: number) {
		this.#table = table;
		this.#starts = new Float64Array(table.nodes);
		const none = (): undefined => undefined;
		this.#timelines = Array.from({ length: table.nodes }, none);
		this.#kept = Array.from({ length: table.nodes }, none);
		this.#noted = Array.from({ length: table.nodes }, none);
		this.#later = new Uint8Array(table.nodes);
		this.open(nowMs);
	}

	/** Forgets all reservations. */
	open(nowMs: number): void {
		this.#nowMs = nowMs;
		for (const node of this.#touched) {
			this.#timelines[node] = undefined;
			this.#noted[node] = undefined;
			this.#later[node] = 0;
		}
		this.#touched.length = 0;
		if (this.#ready.size > 0) this.#ready.clear();
	}

	/**
	 * The earliest start of a job on `count` equal nodes at the same time, `slots` on each, for `lengthMs`; null when it never fits. Of nodes
	 * that are ready at the same time it takes the fullest, so that big gaps stay whole; then the lowest number.
	 */
	findStart(count: number, slots: number, lengthMs: number): Slotting | null {
		return count === 1 ? this.#findOne(slots, lengthMs) : this.#findGang(count, slots, lengthMs);
	}

	/** Whether slots that are free on the node now stay free for `lengthMs`. Without later reservations, free slots only increase. */
	staysFree(node: number, slots: number, lengthMs: number): boolean {
		return this.#later[node] === 0 || this.#timelineOf(node).earliest(slots, lengthMs, this.#nowMs) === this.#nowMs;
	}

	/** Whether a job has a later reservation on the node. */
	hasLater(node: number): boolean {
		return this.#later[node] === 1;
	}

	reserve(node: number, startMs: number, lengthMs: number, slots: number): void {
		if (this.#timelines[node] === undefined && this.#noted[node] === undefined) this.#touched.push(node);
		if (startMs > this.#nowMs) this.#later[node] = 1;
		const timeline = this.#timelines[node];
		if (timeline) timeline.reserve(startMs, lengthMs, slots);
		else {
			const noted = this.#noted[node];
			if (noted) noted.push(startMs, lengthMs, slots);
			else this.#noted[node] = [startMs, lengthMs, slots];
		}
	}

	#timelineOf(node: number): NodeTimeline {
		const known = this.#timelines[node];
		if (known) return known;
		const noted = this.#noted[node];
		if (noted === undefined) this.#touched.push(node);
		const free = this.#table.freeAt(node, this.#nowMs);
		const ends = this.#table.after(node, free);
		const timeline = this.#kept[node] ?? new NodeTimeline(this.#nowMs, free, ends);
		if (this.#kept[node]) timeline.open(this.#nowMs, free, ends);
		else this.#kept[node] = timeline;
		for (let i = 0; noted && i < noted.length; i += 3) timeline.reserve(noted[i] ?? 0, noted[i + 1] ?? 0, noted[i + 2] ?? 0);
		this.#timelines[node] = timeline;
		return timeline;
	}

	/** Nothing is reserved on it. */
	#isPlain(node: number): boolean {
		return this.#timelines[node] === undefined && this.#noted[node] === undefined;
	}

	#earliest(node: number, slots: number, lengthMs: number, fromMs: number): number {
		if (this.#isPlain(node)) return Math.max(fromMs, this.#table.earliest(node, slots));
		return this.#timelineOf(node).earliest(slots, lengthMs, fromMs);
	}

	#freeAt(node: number, atMs: number): number {
		return this.#isPlain(node) ? this.#table.freeAt(node, atMs) : this.#timelineOf(node).freeAt(atMs);
	}

	#findOne(slots: number, lengthMs: number): Slotting | null {
		if (slots > this.#table.slots) return null;
		const magnitude = Math.floor(Math.log2(Math.max(1, lengthMs)));
		const heap = this.#readyFor(slots, magnitude);
		const found = heap ? this.#searchHeap(heap, slots, magnitude, lengthMs) : this.#searchAll(slots, lengthMs);
		return found < 0 ? null : { startMs: this.#foundStartMs, nodes: [found] };
	}

	#foundStartMs = 0;
	/** Per search for a gang: when each node could start its part. */
	readonly #starts: Float64Array;
	/** Per search: the nodes taken from the heap, and the keys for putting them back. */
	readonly #visited: number[] = [];
	readonly #notBefore: number[] = [];

	#searchAll(slots: number, lengthMs: number): number {
		let best = -1;
		let bestStart = Number.MAX_VALUE;
		let bestFree = 0;
		for (let node = 0; node < this.#table.nodes; node++) {
			const startMs = this.#earliest(node, slots, lengthMs, this.#nowMs);
			if (startMs > bestStart || startMs === Number.POSITIVE_INFINITY) continue;
			const free = this.#freeAt(node, startMs);
			if (startMs === bestStart && free >= bestFree) continue;
			best = node;
			bestStart = startMs;
			bestFree = free;
		}
		this.#foundStartMs = bestStart;
		return best;
	}

	#searchHeap(ready: MinHeap, slots: number, magnitude: number, lengthMs: number): number {
		const visited = this.#visited;
		const notBefore = this.#notBefore;
		visited.length = 0;
		notBefore.length = 0;
		let best = -1;
		let bestStart = Number.MAX_VALUE;
		let bestFree = 0;
		while (ready.leastKey <= bestStart) {
			const node = ready.pop();
			if (node === undefined) break;
			visited.push(node);
			const plain = this.#isPlain(node);
			const found = plain ? null : this.#timelineOf(node).search(slots, 2 ** magnitude, lengthMs, this.#nowMs);
			const startMs = found ? found.startMs : Math.max(this.#nowMs, this.#table.earliest(node, slots));
			notBefore.push(found ? found.shortStartMs : startMs);
			if (startMs > bestStart) continue;
			const free = this.#freeAt(node, startMs);
			if (startMs === bestStart && (free > bestFree || (free === bestFree && node > best))) continue;
			best = node;
			bestStart = startMs;
			bestFree = free;
		}
		for (let i = 0; i < visited.length; i++) ready.push(notBefore[i] ?? 0, visited[i] ?? 0);
		this.#foundStartMs = bestStart;
		return best;
	}

	#readyFor(slots: number, magnitude: number): MinHeap | null {
		const key = slots * 64 + magnitude;
		let known = this.#ready.get(key);
		if (!known) {
			known = { searches: 0, heap: null };
			this.#ready.set(key, known);
		}
		if (known.heap === null && ++known.searches > SEARCHES_BEFORE_HEAP) {
			known.heap = new MinHeap();
			for (let node = 0; node < this.#table.nodes; node++) known.heap.push(this.#earliest(node, slots, 2 ** magnitude, this.#nowMs), node);
		}
		return known.heap;
	}

	/** Tries the time at which enough nodes have a start each, until that many hold at the same time. */
	#findGang(count: number, slots: number, lengthMs: number): Slotting | null {
		const { nodes } = this.#table;
		if (count > nodes || slots > this.#table.slots) return null;
		const starts = this.#starts;
		let fromMs = this.#nowMs;
		for (;;) {
			let ready = 0;
			for (let node = 0; node < nodes; node++) {
				const startMs = this.#earliest(node, slots, lengthMs, fromMs);
				starts[node] = startMs;
				if (startMs === fromMs) ready++;
			}
			if (ready >= count) return { startMs: fromMs, nodes: this.#fullest(this.#nodesAt(fromMs), count, fromMs) };
			const next = starts.sort()[count - 1];
			if (next === undefined || next === Number.POSITIVE_INFINITY) return null;
			// No earlier time can have enough nodes: each one's own start from here on is at least its entry.
			fromMs = next;
		}
	}

	/** Nodes with this start in the last search for a gang. */
	#nodesAt(startMs: number): number[] {
		const nodes: number[] = [];
		for (let node = 0; node < this.#starts.length; node++) if (this.#starts[node] === startMs) nodes.push(node);
		return nodes;
	}

	#fullest(ready: readonly number[], count: number, atMs: number): number[] {
		const free = new Map(ready.map((node) => [node, this.#freeAt(node, atMs)]));
		const order = [...ready].sort((a, b) => (free.get(a) ?? 0) - (free.get(b) ?? 0) || a - b);
		return order.slice(0, count).sort((a, b) => a - b);
	}
}
