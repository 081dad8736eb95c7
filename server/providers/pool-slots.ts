import type { PoolObservation } from "./driver.ts";

/** What is free on each node of a pool, as the cluster counts. */
export interface PoolNodes {
	id: string;
	accelerator: string;
	gpusPerNode: number;
	/** Those that are there first. */
	nodes: readonly { freeGpus: number }[];
	/** Of the nodes, those that the cluster adds when a job asks. */
	nodesToCome?: number;
	/** Lately it did not, though it was asked. */
	noneComes?: boolean;
}

/** What our attempts hold of a pool: slots of Spillway's own numbering, and whether the cluster has given them GPUs already. */
export interface Held {
	poolId: string;
	slots: readonly number[];
	/** Its GPUs are missing from the nodes' free ones. */
	hasGpus: boolean;
}

/**
 * A pool as Spillway's slots. The cluster chooses the nodes of a job by itself, so the slots that an attempt holds are a count
 * and not its real place. What is free is laid over the others: node by node where that fits, and where it does not, so
 * that a node with much room stays one. GPUs that jobs of others use, or nodes that are down, make slots unavailable.
 */
export function slotsOf(pool: PoolNodes, held: readonly Held[]): PoolObservation {
	const { id, accelerator, gpusPerNode, nodes, nodesToCome = 0, noneComes = false } = pool;
	const mine = held.filter((h) => h.poolId === id);
	const taken = new Set(mine.flatMap((h) => h.slots));
	const open = nodes.map((_, n) => slotsOfNode(n, gpusPerNode).filter((slot) => !taken.has(slot)));
	const waiting = mine.filter((h) => !h.hasGpus).reduce((sum, h) => sum + h.slots.length, 0);
	let left = nodes.reduce((sum, node) => sum + node.freeGpus, 0) - waiting;
	const free = open.map((slots, n) => {
		const here = Math.max(0, Math.min(slots.length, nodes[n]?.freeGpus ?? 0, left));
		left -= here;
		return here;
	});
	const byRoom = open.map((slots, n) => ({ n, room: slots.length - (free[n] ?? 0) })).sort((a, b) => b.room - a.room || a.n - b.n);
	for (const { n, room } of byRoom) {
		const more = Math.max(0, Math.min(room, left));
		free[n] = (free[n] ?? 0) + more;
		left -= more;
	}
	const unavailableSlots = open.flatMap((slots, n) => slots.slice(free[n]));
	const toCome = nodesToCome > 0 && { nodesToCome, ...(noneComes && { noneComes }) };
	return { id, accelerator, nodes: nodes.length, gpusPerNode, unavailableSlots, ...toCome };
}

function slotsOfNode(node: number, gpusPerNode: number): number[] {
	return Array.from({ length: gpusPerNode }, (_, i) => node * gpusPerNode + i);
}
