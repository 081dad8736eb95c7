import type { World } from "../engine.ts";
import type { Run, SeenJob } from "../run.ts";

/** Starts the job now in the cheapest pool with room for it; null if there is none. */
export function startHome(world: World, job: SeenJob): Run | null {
	for (const nodes of world.pools) {
		if (!nodes.canEverFit(job)) continue;
		const fit = nodes.fit(job.nodes, job.gpusPerNode);
		if (fit) return world.placeHome(job, nodes, nodes.slotsOn(fit, job.gpusPerNode));
	}
	return null;
}

export function canEverRunHome(world: World, job: SeenJob): boolean {
	return world.pools.some((nodes) => nodes.canEverFit(job));
}
