import type { ClusterNode, NodeState } from "#server/domain/cluster-node.ts";
import type { SlurmNode, SlurmPartition } from "./mapper.ts";
import type { ParsedSlurmSettings } from "./settings.ts";

/** Equal nodes of a partition: the same GPU type and number. */
export interface SlurmPool {
	/** `<partition>-<type>x<GPUs of a node>`, e.g. `gpu-h100x8`. It does not change when nodes are added. */
	id: string;
	partition: string;
	/** Every partition that contains one of its nodes, because jobs of others wait for it there too. */
	partitions: Set<string>;
	gresType: string;
	accelerator: string;
	gpusPerNode: number;
	maxTimeMs: number | null;
	nodes: { name: string; freeGpus: number }[];
}

/** States in which a node gets no jobs: it does not respond, lacks hardware, or was drained by someone. */
const DOWN = [
	...["DOWN", "ERROR", "FAIL", "FAILED", "FAILING", "FUTURE", "INVAL", "INVALID", "INVALID_REG", "NOT_RESPONDING", "NO_RESPOND"],
	...["POWERED_DOWN", "POWERING_DOWN", "UNKNOWN"],
];
const CLOSED = ["DRAIN", "DRAINED", "DRAINING", "MAINT", "MAINTENANCE", "REBOOT_ISSUED", "REBOOT_REQUESTED", "RESERVED"];

/** 22.05 appends "*" to the state of a node that does not respond. */
function stateOf({ states }: SlurmNode): NodeState {
	if (states.some((s) => s.endsWith("*") || DOWN.includes(s))) return "down";
	return states.some((s) => CLOSED.includes(s)) ? "closed" : "ready";
}

/** The pools of the used partitions. A node in several partitions counts in the first of them. */
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
		// A node with two GPU types belongs to the pool of its first, because a job gets one type.
		const gpus = node.gpus.find((g) => settings.accelerators[g.type] !== undefined && g.count > 0);
		const accelerator = gpus && settings.accelerators[gpus.type];
		if (!partition || !gpus || accelerator === undefined) continue;
		const id = `${partition.name}-${gpus.type}x${gpus.count}`;
		const pool = pools.get(id) ?? newPool(id, partition, gpus, accelerator);
		pools.set(id, pool);
		for (const name of node.partitions) pool.partitions.add(name);
		pool.nodes.push({ name: node.name, freeGpus: freeGpusOf(node, partition, gpus) });
	}
	return [...pools.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Every node with GPUs, with Slurm's own description of its state. */
export function clusterNodesOf(nodes: readonly SlurmNode[], pools: readonly SlurmPool[]): ClusterNode[] {
	const poolOf = new Map(pools.flatMap((pool) => pool.nodes.map(({ name }) => [name, pool.id] as const)));
	const count = (gpus: SlurmNode["gpus"]): number => gpus.reduce((sum, g) => sum + g.count, 0);
	return nodes
		.filter(({ gpus }) => count(gpus) > 0)
		.map((node) => {
			const { name, gpus, gpusUsed, states, reason } = node;
			const state = stateOf(node);
			const says = state === "ready" ? reason : [states.join("+"), reason].filter(Boolean).join(": ");
			return { name, poolId: poolOf.get(name) ?? null, state, reason: says || null, gpus: count(gpus), gpusUsed: count(gpusUsed) };
		});
}

function newPool(id: string, partition: SlurmPartition, gpus: { type: string; count: number }, accelerator: string): SlurmPool {
	const { name, maxTimeMs } = partition;
	return { id, partition: name, partitions: new Set(), gresType: gpus.type, accelerator, gpusPerNode: gpus.count, maxTimeMs, nodes: [] };
}

function freeGpusOf(node: SlurmNode, partition: SlurmPartition, gpus: { type: string; count: number }): number {
	if (!partition.up || stateOf(node) !== "ready") return 0;
	const used = node.gpusUsed.filter((g) => g.type === gpus.type).reduce((sum, g) => sum + g.count, 0);
	return Math.max(0, gpus.count - used);
}
