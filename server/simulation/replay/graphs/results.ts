import type { DataRef } from "#server/domain/job.ts";
import type { StepSpec } from "#server/domain/pipeline/pipeline.ts";
import type { ReplayPipeline } from "../types.ts";

/** Results of declared size that a step reads, as data of its jobs. They are at home, as in the artifact store of a live pipeline. */
export function resultsReadBy({ id, spec, resultGiB }: ReplayPipeline, step: StepSpec, hasWritten: (run: string) => boolean): DataRef[] {
	return step.inputs.flatMap(({ step: source, output, mount }) => {
		const sizeGiB = resultGiB.get(`${source}.${output}`);
		if (sizeGiB === undefined) return [];
		const runs = spec.steps.find(({ name }) => name === source)?.runs ?? [];
		return runs
			.filter(({ name }) => hasWritten(name))
			.map(({ name }) => ({
				uri: `result:${id}/${name}/${output}`,
				sizeGiB,
				mount: runs.length === 1 ? mount : `${mount}/${name}`,
				residency: [],
			}));
	});
}

/** What a run of the step brings home from a cloud, GiB; null if the size of none of its results is declared. */
export function resultsWrittenBy({ resultGiB }: Pick<ReplayPipeline, "resultGiB">, { name, runs }: StepSpec): number | null {
	const sizes = (runs[0]?.job.outputs ?? []).flatMap((output) => resultGiB.get(`${name}.${output.name}`) ?? []);
	return sizes.length === 0 ? null : sizes.reduce((sum, gib) => sum + gib, 0);
}
