import type { PipelineSpec } from "#server/domain/pipeline/pipeline.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { checkSubmission } from "#server/services/work/job/submit.ts";
import { insertPipeline } from "#server/services/work/pipeline/insert.ts";
import { type PipelineInput, readPipelineInput } from "./input.ts";

export interface SubmittedPipeline {
	id: string;
	state: "running";
	kind: PipelineSpec["kind"];
	name: string;
	runs: number;
}

/**
 * Submits a pipeline or sweep: all of its steps or none.
 * @throws SpillwayError `forbidden` for a team that is not the actor's; `invalid_input` with line and column of each problem
 */
export async function submitPipeline(ctx: ServiceContext, input: PipelineInput): Promise<SubmittedPipeline> {
	const spec = await readPipelineInput(ctx, "job:submit", input);
	await checkSubmission(ctx, [spec]);
	const id = await ctx.db.transaction((tx) => insertPipeline(tx, ctx, { spec, quote: null, times: new Map() }));
	return { id, state: "running", kind: spec.kind, name: spec.name, runs: spec.steps.reduce((sum, { runs }) => sum + runs.length, 0) };
}
