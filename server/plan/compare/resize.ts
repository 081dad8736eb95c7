import type { ReplayPool, ReplayScenario } from "#server/simulation/replay/types.ts";

/** The scenario with another number of owned GPUs: adds nodes like the first pool's, or removes the last nodes. */
export function withOwnedGpus(scenario: ReplayScenario, gpus: number): ReplayScenario {
	const owned = ownedGpus(scenario);
	if (gpus === owned) return scenario;
	return { ...scenario, pools: gpus > owned ? added(scenario.pools, gpus - owned) : reduced(scenario.pools, gpus) };
}

export function ownedGpus({ pools }: Pick<ReplayScenario, "pools">): number {
	return pools.reduce((sum, pool) => sum + pool.nodes * pool.gpusPerNode, 0);
}

/** GPUs of a node that is bought or removed. */
export function nodeGpus({ pools }: Pick<ReplayScenario, "pools">): number {
	return pools[0]?.gpusPerNode ?? 8;
}

function added(pools: readonly ReplayPool[], more: number): ReplayPool[] {
	const [first, ...others] = pools;
	if (!first) return [];
	return [{ ...first, nodes: first.nodes + Math.round(more / first.gpusPerNode) }, ...others];
}

function reduced(pools: readonly ReplayPool[], gpus: number): ReplayPool[] {
	let left = gpus;
	return pools.flatMap((pool): ReplayPool[] => {
		const nodes = Math.min(pool.nodes, Math.floor(left / pool.gpusPerNode));
		left -= nodes * pool.gpusPerNode;
		return nodes > 0 ? [{ ...pool, nodes }] : [];
	});
}
