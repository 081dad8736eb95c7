import { assert } from "#server/kernel/assert.ts";
import type { ReplayPool } from "./types.ts";

/** Most GPUs in one node: free slots are bits of a whole number. */
const GPUS_PER_NODE_MAX = 30;

/** The slots of one owned pool. Slot s is on node floor(s / gpusPerNode). */
export class HomeNodes {
	readonly pool: ReplayPool;
	/** Counts every change, so that derived values can be cached. */
	version = 0;
	freeGpus: number;
	readonly #freeBits: number[];
	readonly #free: number[];

	constructor(pool: ReplayPool) {
		assert(pool.gpusPerNode <= GPUS_PER_NODE_MAX, `pool ${pool.id} has ${pool.gpusPerNode} GPUs a node; ${GPUS_PER_NODE_MAX} at most`);
		this.pool = pool;
		this.freeGpus = pool.nodes * pool.gpusPerNode;
		this.#freeBits = Array.from({ length: pool.nodes }, () => 2 ** pool.gpusPerNode - 1);
		this.#free = Array.from({ length: pool.nodes }, () => pool.gpusPerNode);
		this.take(pool.unavailableSlots ?? []);
	}

	freeOn(node: number): number {
		return this.#free[node] ?? 0;
	}

	/** Whether the empty pool could hold it. */
	canEverFit(job: { nodes: number; gpusPerNode: number; accelerators: readonly string[] }): boolean {
		const fits = job.nodes <= this.pool.nodes && job.gpusPerNode <= this.pool.gpusPerNode;
		return fits && (job.accelerators.length === 0 || job.accelerators.includes(this.pool.accelerator));
	}

	/** The nodes that a job would use now, fullest first so that big gaps stay whole; null if it does not fit. */
	fit(nodes: number, gpusPerNode: number): number[] | null {
		if (this.freeGpus < nodes * gpusPerNode) return null;
		if (nodes === 1) {
			const node = this.#fullestWith(gpusPerNode);
			return node < 0 ? null : [node];
		}
		const able = this.#free.flatMap((free, node) => (free >= gpusPerNode ? [node] : []));
		if (able.length < nodes) return null;
		return able.sort((a, b) => this.freeOn(a) - this.freeOn(b) || a - b).slice(0, nodes);
	}

	#fullestWith(gpus: number): number {
		let best = -1;
		let bestFree = Number.POSITIVE_INFINITY;
		for (let node = 0; node < this.#free.length; node++) {
			const free = this.#free[node] ?? 0;
			if (free < gpus || free >= bestFree) continue;
			best = node;
			bestFree = free;
			if (free === gpus) break;
		}
		return best;
	}

	/** The lowest free slots of each node. */
	slotsOn(nodes: readonly number[], gpusPerNode: number): number[] {
		const slots: number[] = [];
		for (const node of nodes) {
			const bits = this.#freeBits[node] ?? 0;
			for (let slot = 0, found = 0; slot < this.pool.gpusPerNode && found < gpusPerNode; slot++) {
				if ((bits & (1 << slot)) === 0) continue;
				slots.push(node * this.pool.gpusPerNode + slot);
				found++;
			}
		}
		return slots;
	}

	areFree(slots: readonly number[]): boolean {
		return slots.every((slot) => (this.#bitsOf(slot) & this.#bitOf(slot)) !== 0);
	}

	/** All free slots, ascending. */
	freeSlots(): number[] {
		const slots: number[] = [];
		const { gpusPerNode } = this.pool;
		for (let node = 0; node < this.#freeBits.length; node++) {
			const bits = this.#freeBits[node] ?? 0;
			if (bits === 0) continue;
			for (let slot = 0; slot < gpusPerNode; slot++) if ((bits & (1 << slot)) !== 0) slots.push(node * gpusPerNode + slot);
		}
		return slots;
	}

	take(slots: readonly number[]): void {
		for (const slot of slots) {
			assert((this.#bitsOf(slot) & this.#bitOf(slot)) !== 0, `slot ${slot} of ${this.pool.id} is given twice`);
			this.#change(slot, -1);
		}
	}

	release(slots: readonly number[]): void {
		for (const slot of slots) {
			assert((this.#bitsOf(slot) & this.#bitOf(slot)) === 0, `slot ${slot} of ${this.pool.id} is released twice`);
			this.#change(slot, 1);
		}
	}

	#change(slot: number, by: 1 | -1): void {
		const node = Math.floor(slot / this.pool.gpusPerNode);
		this.#freeBits[node] = this.#bitsOf(slot) ^ this.#bitOf(slot);
		this.#free[node] = this.freeOn(node) + by;
		this.freeGpus += by;
		this.version++;
	}

	#bitsOf(slot: number): number {
		return this.#freeBits[Math.floor(slot / this.pool.gpusPerNode)] ?? 0;
	}

	#bitOf(slot: number): number {
		return 1 << (slot % this.pool.gpusPerNode);
	}
}
