import { SpillwayError } from "#server/kernel/errors.ts";
import { traceJobOf } from "#server/simulation/replay/graphs/graph-runs.ts";
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
	return jobs.filter(({ gpus, accelerators, team, recorded }) => {
		const read = recorded?.spec.data ?? data.readBy(team);
		const shape = recorded ? { nodes: recorded.spec.nodes, gpusPerNode: recorded.spec.resources.gpus } : shapeOf(gpus, perNode);
		const key = `${shape.nodes} ${shape.gpusPerNode} ${accelerators.join("|")} ${read.map(({ uri }) => uri).join("|")}`;
		const known = answers.get(key);
		if (known !== undefined) return known;
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

/** @throws SpillwayError `invalid_input` naming the first step of a pipeline that no pool and no offer can hold */
export function requirePlacesForPipelines(scenario: ReplayScenario): void {
	for (const pipeline of scenario.pipelines ?? []) {
		for (const [step, { name, runs }] of pipeline.spec.steps.entries()) {
			const given = { step, deadlineMs: null, submitMs: 0, hasWritten: () => true, fails: false };
			const jobs = runs.map((run) => traceJobOf(scenario, pipeline, { id: run.name, run, ...given }));
			if (jobsThatFit(jobs, scenario).length === jobs.length) continue;
			throw new SpillwayError("invalid_input", `Step ${name} of ${pipeline.id} fits no pool and no offer of the scenario.`, {
				fix: "Compare its resources and the residency of its data with the scenario's machines.",
			});
		}
	}
}
