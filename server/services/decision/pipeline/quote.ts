import type { JobSpec } from "#server/domain/job.ts";
import type { PipelineSpec, StepInput } from "#server/domain/pipeline/pipeline.ts";
import type { InParts } from "#server/kernel/in-parts.ts";
import { judgeJob } from "#server/policy/judge-job.ts";
import type { GraphQuote } from "#server/scheduling/pipeline/quote-graph.ts";
import { quoteSpec } from "#server/scheduling/pipeline/quote-spec.ts";
import type { Snapshot } from "#server/scheduling/types.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { inSlices } from "#server/services/core/threads/in-slices.ts";
import { inTurn } from "#server/services/core/threads/off-loop.ts";
import type { Timing } from "#server/services/core/timing.ts";
import { type ReasonView, reasonView } from "#server/services/core/view.ts";
import { withNamedModels } from "#server/services/work/job/named-models.ts";
import { runUserOf, withUser } from "#server/services/work/job/run-user.ts";
import { decideAsked, presentSnapshot } from "../quote/decide-asked.ts";
import { type PipelineInput, readPipelineInput } from "./input.ts";
import { type PastOutputs, readPastOutputs } from "./past-outputs.ts";

export type QuoteContext = ServiceContext & { timing: Timing };

/** Amount that a budget must reserve for a pipeline, and its free amount. */
export interface BudgetShare {
	budgetId: string;
	maximumMicroUsd: bigint;
	freeMicroUsd: bigint;
	capMicroUsd: bigint;
}

export interface PreparedQuote {
	quote: GraphQuote;
	decidedAtMs: number;
	/** Reasons of steps that cannot start now and do not wait for home, by name. */
	reasons: Map<string, ReasonView>;
	budgets: BudgetShare[];
	/** Results of unknown size. The cost of moving them is not included. */
	unsizedResults: number;
}

/**
 * Quotes a whole graph at the current moment: the decision core decides one job of each shape, as for a single quote. Results of steps have
 * the size of the pipeline's last run.
 */
export async function prepareQuote(ctx: QuoteContext, spec: PipelineSpec): Promise<PreparedQuote> {
	const [snapshot, past] = await Promise.all([presentSnapshot(ctx), readPastOutputs(ctx.db, spec)]);
	return inTurn(ctx, () => inSlices(quoteAt(ctx, spec, snapshot, past)));
}

function* quoteAt(ctx: QuoteContext, spec: PipelineSpec, snapshot: Snapshot, past: PastOutputs): InParts<PreparedQuote> {
	const user = runUserOf(ctx.actor);
	const { quote, reasons: firstReasons } = yield* quoteSpec(spec, snapshot, {
		jobOf: (job, { inputs }) => withInputs(job, inputs, past),
		seenAs: (job) => withUser(withNamedModels(job), user),
		explain: (jobs) => decideAsked(ctx, snapshot, jobs).explanationOf,
	});
	const reasons = new Map(
		quote.steps.flatMap(({ name, outcome, placement }) => {
			const first = firstReasons.get(name);
			const isShown = outcome === "hold" || outcome === "fail" || (outcome === "wait" && placement?.capacityType !== "owned");
			return first && isShown ? [[name, reasonView(first)] as const] : [];
		}),
	);
	const unsizedResults = spec.steps.reduce((sum, { inputs }) => sum + inputs.filter((input) => !past.has(keyOf(input))).length, 0);
	const budgets = yield* budgetsOf(spec, quote, snapshot);
	return { quote, decidedAtMs: snapshot.nowMs, reasons, budgets, unsizedResults };
}

const keyOf = ({ step, output }: StepInput): string => `${step}.${output}`;

function withInputs(job: JobSpec, inputs: readonly StepInput[], past: PastOutputs): JobSpec {
	const data = inputs.flatMap((input) => {
		const known = past.get(keyOf(input));
		return known ? [{ uri: known.uri, sizeGiB: known.sizeGiB, mount: input.mount, residency: [] }] : [];
	});
	return data.length === 0 ? job : { ...job, data: [...job.data, ...data] };
}

/** The budgets that cover the steps, with the worst case of each budget's own steps. */
function* budgetsOf(spec: PipelineSpec, quote: GraphQuote, snapshot: Snapshot): InParts<BudgetShare[]> {
	const shares = new Map<string, BudgetShare>();
	const judged = new Map<string, readonly { id: string; capMicroUsd: bigint }[]>();
	for (const [at, step] of spec.steps.entries()) {
		yield;
		const job = step.runs[0]?.job;
		const maximumMicroUsd = quote.steps[at]?.maximumMicroUsd ?? 0n;
		if (!job || maximumMicroUsd === 0n) continue;
		const { command: _command, env: _env, name: _name, ...facts } = job;
		const key = JSON.stringify(facts);
		const rules = judged.get(key) ?? judgeJob(snapshot.policy, job).budgets;
		judged.set(key, rules);
		for (const rule of rules) {
			const view = snapshot.budgets.find(({ id }) => id === rule.id);
			const capMicroUsd = view?.capMicroUsd ?? rule.capMicroUsd;
			const free = capMicroUsd - (view?.postedMicroUsd ?? 0n) - (view?.heldMicroUsd ?? 0n);
			const share = shares.get(rule.id) ?? { budgetId: rule.id, maximumMicroUsd: 0n, freeMicroUsd: free, capMicroUsd };
			shares.set(rule.id, { ...share, maximumMicroUsd: share.maximumMicroUsd + maximumMicroUsd });
		}
	}
	return [...shares.values()];
}

/** The quote as shown. Times are ISO 8601, money decimal strings of micro-dollars. */
export function quoteView(spec: PipelineSpec, { quote, decidedAtMs, reasons, budgets, unsizedResults }: PreparedQuote) {
	const { budgetMicroUsd } = spec;
	return {
		...{ kind: spec.kind, name: spec.name, team: spec.team, decidedAt: new Date(decidedAtMs).toISOString() },
		...{ steps: spec.steps.length, runs: quote.steps.reduce((sum, { runs }) => sum + runs, 0) },
		...{ start: rangeView(quote.start), finish: rangeView(quote.finish), deadlineRisk: quote.deadlineRisk },
		deadlineAt: spec.deadlineMs === null ? null : new Date(spec.deadlineMs).toISOString(),
		...{ expectedMicroUsd: quote.expectedMicroUsd.toString(), maximumMicroUsd: quote.maximumMicroUsd.toString() },
		...{ emissionsGrams: quote.emissionsGrams, unsizedResults, budgetMicroUsd: budgetMicroUsd?.toString() ?? null },
		isWithinBudget: budgetMicroUsd === null || quote.maximumMicroUsd <= budgetMicroUsd,
		budgets: budgets.map(({ budgetId, maximumMicroUsd, freeMicroUsd, capMicroUsd }) => ({
			...{ budgetId, maximumMicroUsd: maximumMicroUsd.toString(), freeMicroUsd: freeMicroUsd.toString() },
			...{ capMicroUsd: capMicroUsd.toString(), isEnough: maximumMicroUsd <= freeMicroUsd },
		})),
		stepList: quote.steps.map((step) => ({
			...{ name: step.name, needs: step.needs, runs: step.runs, outcome: step.outcome, placement: step.placement },
			...{ start: rangeView(step.start), finish: rangeView(step.finish), runMs: Math.round(step.runMs) },
			...{ slackMs: Math.round(step.slackMs), isCritical: step.isCritical, emissionsGrams: step.emissionsGrams },
			...{ expectedMicroUsd: step.expectedMicroUsd.toString(), maximumMicroUsd: step.maximumMicroUsd.toString() },
			reason: reasons.get(step.name)?.message ?? null,
		})),
	};
}

export type PipelineQuoteView = ReturnType<typeof quoteView>;

function rangeView({ p50Ms, p90Ms }: { p50Ms: number; p90Ms: number }): { p50: string; p90: string } {
	return { p50: new Date(p50Ms).toISOString(), p90: new Date(p90Ms).toISOString() };
}

/**
 * Quotes a pipeline or sweep. Nothing is written.
 * @throws SpillwayError `forbidden`; `invalid_input` with line and column of each problem
 */
export async function quotePipeline(ctx: QuoteContext, input: PipelineInput): Promise<PipelineQuoteView> {
	const spec = await readPipelineInput(ctx, "quote:ask", input);
	return quoteView(spec, await prepareQuote(ctx, spec));
}
