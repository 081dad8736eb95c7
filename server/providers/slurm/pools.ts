import type { ClusterObservation } from "../driver.ts";
import type { SlurmNode, SlurmPartition } from "./mapper.ts";
import type { ParsedSlurmSettings } from "./settings.ts";

/** Equal nodes of a partition: the same type of GPU, as many of them. */
export interface SlurmPool {
	/** `<partition>-<type>x<GPUs of a node>`, e.g. `gpu-h100x8`: it stays the same when other nodes come. */
	id: string;
	partition: string;
	gresType: string;
	accelerator: string;
	gpusPerNode: number;
	maxTimeMs: number | null;
	nodes: { name: string; freeGpus: number }[];
}

/** A node in one of these is not given to anybody. */
const UNUSABLE = [
	...["DOWN", "DRAIN", "DRAINED", "DRAINING", "ERROR", "FAIL", "FAILED", "FAILING", "FUTURE", "INVAL", "INVALID", "INVALID_REG", "MAINT"],
	...[
		"MAINTENANCE",
		"NOT_RESPONDING",
		"NO_RESPOND",
		"POWERED_DOWN",
		"POWERING_DOWN",
		"REBOOT_ISSUED",
		"REBOOT_REQUESTED",
		"RESERVED",
		"UNKNOWN",
	],
];

/** The pools of the partitions that are used. A node that is in several partitions counts in the first of them. */
export function poolsOf(
	nodes: readonly SlurmNode[],
	partitions: readonly SlurmPartition[],
	settings: Pick<ParsedSlurmSettings, "partitions" | "accelerators">,
): SlurmPool[] {
	const wanted =
		settings.partitions ??
		partitions
			.filter((p) => p.up)
			.map((p) => p.name)
			.sort();
	const pools = new Map<string, SlurmPool>();
	for (const node of [...nodes].sort((a, b) => (a.name < b.name ? -1 : 1))) {
		const partition = wanted.map((name) => partitions.find((p) => p.name === name)).find((p) => p && node.partitions.includes(p.name));
		// A node with two types of GPU is a pool of its first: a job gets one type.
		const gpus = node.gpus.find((g) => settings.accelerators[g.type] !== undefined && g.count > 0);
		const accelerator = gpus && settings.accelerators[gpus.type];
		if (!partition || !gpus || accelerator === undefined) continue;
		const id = `${partition.name}-${gpus.type}x${gpus.count}`;
		const pool = pools.get(id) ?? newPool(id, partition, gpus, accelerator);
		pools.set(id, pool);
		pool.nodes.push({ name: node.name, freeGpus: freeGpusOf(node, partition, gpus) });
	}
	return [...pools.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function newPool(id: string, partition: SlurmPartition, gpus: { type: string; count: number }, accelerator: string): SlurmPool {
	const { name, maxTimeMs } = partition;
	return { id, partition: name, gresType: gpus.type, accelerator, gpusPerNode: gpus.count, maxTimeMs, nodes: [] };
}

function freeGpusOf(node: SlurmNode, partition: SlurmPartition, gpus: { type: string; count: number }): number {
	// 22.05 puts "*" behind the state of a node that does not respond.
	if (!partition.up || node.states.some((s) => s.endsWith("*") || UNUSABLE.includes(s))) return 0;
	const used = node.gpusUsed.filter((g) => g.type === gpus.type).reduce((sum, g) => sum + g.count, 0);
	return Math.max(0, gpus.count - used);
}

/** What our attempts hold of a pool: slots of Spillway's own numbering, and whether Slurm has given them GPUs already. */
export interface Held {
	poolId: string;
	slots: readonly number[];
	/** Its GPUs are missing from the nodes' free ones. */
	hasGpus: boolean;
}

/**
 * A pool as Spillway's slots. Slurm chooses the nodes of a job by itself, so the slots that an attempt holds are a count
 * and not its real place. What is free is laid over the others: node by node where that fits, and where it does not, so
 * that a node with much room stays one. GPUs that jobs of others use, or nodes that are down, make slots unavailable.
 */
export function slotsOf(pool: SlurmPool, held: readonly Held[]): ClusterObservation["pools"][number] {
	const { id, accelerator, gpusPerNode, nodes } = pool;
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
	return { id, accelerator, nodes: nodes.length, gpusPerNode, unavailableSlots };
}

function slotsOfNode(node: number, gpusPerNode: number): number[] {
	return Array.from({ length: gpusPerNode }, (_, i) => node * gpusPerNode + i);
}
