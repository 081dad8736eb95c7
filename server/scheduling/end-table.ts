/**
 * When the slots of equal nodes become free, as far as their current holders show: for each node the time of each slot, ascending, UTC ms;
 * 0 for a free slot. Plain numbers in one block, because a cycle reads all of them for each waiting job.
 */
export class EndTable {
	readonly nodes: number;
	readonly slots: number;
	readonly endsMs: Float64Array;

	constructor(nodes: number, slotsPerNode: number) {
		this.nodes = nodes;
		this.slots = slotsPerNode;
		this.endsMs = new Float64Array(nodes * slotsPerNode);
	}

	/** Writes a node's times, in any order. */
	set(node: number, endsMs: ArrayLike<number>): void {
		const base = node * this.slots;
		// insertion sort: at most a node's few slots, mostly in order already
		for (let i = 0; i < this.slots; i++) {
			const at = endsMs[i] ?? 0;
			let hole = base + i;
			while (hole > base && (this.endsMs[hole - 1] ?? 0) > at) {
				this.endsMs[hole] = this.endsMs[hole - 1] ?? 0;
				hole--;
			}
			this.endsMs[hole] = at;
		}
	}

	/** When the node has this many slots free at the same time; infinite if it has fewer. */
	earliest(node: number, slots: number): number {
		return slots > this.slots ? Number.POSITIVE_INFINITY : slots < 1 ? 0 : (this.endsMs[node * this.slots + slots - 1] ?? 0);
	}

	freeAt(node: number, atMs: number): number {
		const base = node * this.slots;
		let free = 0;
		while (free < this.slots && (this.endsMs[base + free] ?? 0) <= atMs) free++;
		return free;
	}

	/** Times after the first `free` slots, ascending. */
	after(node: number, free: number): Float64Array {
		const base = node * this.slots;
		return this.endsMs.subarray(base + free, base + this.slots);
	}
}
