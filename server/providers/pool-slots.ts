import type { PoolObservation } from "./driver.ts";

/** The free GPUs of each node of a pool, as counted by the cluster. */
export interface PoolNodes {
	id: string;
	accelerator: string;
	gpusPerNode: number;
	/** Existing nodes come first. */
	nodes: readonly { freeGpus: number }[];
	/** How many of the nodes do not exist yet and are added by the cluster for a job. */
	nodesToCome?: number;
	/** The cluster recently failed to add nodes on request. */
	noneComes?: boolean;
}

/**
 * The slots of a pool that our attempts hold, in Spillway's own numbering, and whether the cluster has assigned them GPUs
 * already.
 */
export interface Held {
	poolId: string;
	slots: readonly number[];
	/** Whether its GPUs are already missing from the nodes' free ones. */
	hasGpus: boolean;
}

/**
 * Converts a pool to Spillway's slots. The cluster chooses a job's nodes itself, so the slots that an attempt holds are a count
 * and not its real location. Free GPUs are mapped to the other slots: node by node if that fits, otherwise so that a node with
 * much free space stays whole. GPUs that jobs of others use, or nodes that are down, make slots unavailable.
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
