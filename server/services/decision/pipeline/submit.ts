import type { PipelineSpec } from "#server/domain/pipeline/pipeline.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { microToUsdText } from "#server/kernel/money.ts";
import { expectationsOf } from "#server/scheduling/pipeline/expectations.ts";
import { checkSubmission } from "#server/services/work/job/submit.ts";
import { withTokenLimit } from "#server/services/work/job/token-limit.ts";
import { insertPipeline, type NewPipeline, type TemplateVersion } from "#server/services/work/pipeline/insert.ts";
import { requireSecrets } from "#server/services/work/secret/require.ts";
import { type PipelineInput, readPipelineInput, sourceOf } from "./input.ts";
import { prepareQuote, type QuoteContext, quoteView } from "./quote.ts";

export interface SubmittedPipeline {
	id: string;
	state: "running";
	kind: PipelineSpec["kind"];
	name: string;
	runs: number;
}

/**
 * Submits a pipeline or sweep: all of its steps or none, with its worst case held in the budgets.
 * @throws SpillwayError `forbidden` for another team than the actor's; `invalid_input` with line and column of each problem; `conflict`
 * when its worst case exceeds its own budget or the free amount of a budget
 * @param template the template that the file is from
 */
export async function submitPipeline(ctx: QuoteContext, input: PipelineInput, template?: TemplateVersion): Promise<SubmittedPipeline> {
	const written = await readPipelineInput(ctx, "job:submit", input);
	const limited = (run: PipelineSpec["steps"][number]["runs"][number]) => ({ ...run, job: withTokenLimit(ctx.actor, run.job) });
	const spec = { ...written, steps: written.steps.map((step) => ({ ...step, runs: step.runs.map(limited) })) };
	await checkSubmission(ctx, [spec]);
	await requireSecrets(
		ctx.db,
		spec.steps.flatMap(({ runs }) => runs.map(({ job }) => job)),
	);
	const submission = await prepareSubmission(ctx, spec, sourceOf(input));
	const id = await ctx.db.transaction((tx) => insertPipeline(tx, ctx, { ...submission, template }));
	return { id, state: "running", kind: spec.kind, name: spec.name, runs: spec.steps.reduce((sum, { runs }) => sum + runs.length, 0) };
}

/** Quotes a pipeline before its transaction. @throws SpillwayError `conflict` when its worst case exceeds its own budget */
export async function prepareSubmission(ctx: QuoteContext, spec: PipelineSpec, source: string): Promise<NewPipeline> {
	const prepared = await prepareQuote(ctx, spec);
	const { maximumMicroUsd } = prepared.quote;
	if (spec.budgetMicroUsd !== null && maximumMicroUsd > spec.budgetMicroUsd) throw overOwnBudget(maximumMicroUsd, spec.budgetMicroUsd);
	return { spec, source, quote: quoteView(spec, prepared), times: expectationsOf(prepared.quote) };
}

function overOwnBudget(maximumMicroUsd: bigint, budgetMicroUsd: bigint): SpillwayError {
	const [most, own] = [microToUsdText(maximumMicroUsd), microToUsdText(budgetMicroUsd)];
	return new SpillwayError("conflict", `The pipeline may spend up to $${most}, more than its budget of $${own}.`, {
		fix: "Raise budgetUsd, or lower the steps' maximum durations or retries.",
		fields: [{ path: "spec.budgetUsd", message: `must be at least ${most}` }],
	});
}
