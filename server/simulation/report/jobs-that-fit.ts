import { shapeOf } from "#server/simulation/replay/job.ts";
import { isAllowedIn, ReplayData } from "#server/simulation/replay/replay-data.ts";
import type { ReplayScenario, TraceJob } from "#server/simulation/replay/types.ts";

/**
 * The jobs that some empty pool or some offer of the scenario can hold, at any price. No strategy could ever run the others: they are
 * counted, and excluded for all strategies alike.
 */
export function jobsThatFit(
	jobs: readonly TraceJob[],
	scenario: Pick<ReplayScenario, "pools" | "offers" | "data" | "dataOutGiB">,
): TraceJob[] {
	const { pools, offers } = scenario;
	const data = new ReplayData(scenario);
	// Uses the replay's job shapes: by the widest owned node, or the largest machine if nothing is owned.
	const widest = pools.reduce((most, pool) => Math.max(most, pool.gpusPerNode), 0);
	const perNode = widest || offers.reduce((most, offer) => Math.max(most, offer.gpus), 1);
	const answers = new Map<string, boolean>();
	return jobs.filter(({ gpus, accelerators, team }) => {
		const read = data.readBy(team);
		const key = `${gpus} ${accelerators.join("|")} ${read.map(({ uri }) => uri).join("|")}`;
		const known = answers.get(key);
		if (known !== undefined) return known;
		const shape = shapeOf(gpus, perNode);
		const will = (model: string): boolean => accelerators.length === 0 || accelerators.includes(model);
		const fits =
			pools.some((pool) => will(pool.accelerator) && shape.gpusPerNode <= pool.gpusPerNode && shape.nodes <= pool.nodes) ||
			offers.some(
				(offer) =>
					will(offer.accelerator) &&
					shape.gpusPerNode <= offer.gpus &&
					(shape.nodes === 1 || offer.gangs === true) &&
					isAllowedIn(read, offer),
			);
		answers.set(key, fits);
		return fits;
	});
}
