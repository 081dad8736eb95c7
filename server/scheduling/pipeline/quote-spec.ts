import type { Explanation } from "#server/domain/decision.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { PipelineSpec, StepSpec } from "#server/domain/pipeline/pipeline.ts";
import type { Reason } from "#server/domain/reasons.ts";
import { judgeJob } from "#server/policy/judge-job.ts";
import { canEverBurst } from "../burst.ts";
import { askedJob } from "../quote/asked-job.ts";
import { makeRunTimeOf } from "../run-time.ts";
import type { PendingJob, Snapshot } from "../types.ts";
import { type GraphQuote, quoteGraph, quoteRun } from "./quote-graph.ts";
import { groupByShape } from "./shapes.ts";

/** How the jobs of a graph are quoted. */
export interface QuoteSpecOptions {
	/** The job of a run with the data that its step gets from other steps. */
	jobOf: (job: JobSpec, step: StepSpec) => JobSpec;
	/** The job as the decision core sees it. */
	seenAs: (job: JobSpec) => JobSpec;
	/** Decides each job as if it were the only addition to the snapshot. */
	explain: (jobs: readonly PendingJob[]) => (jobId: string) => Explanation;
}

export interface SpecQuote {
	quote: GraphQuote;
	/** Reason of the first run of each step, by name of the step. */
	reasons: ReadonlyMap<string, Reason>;
}

/** Quotes a whole graph at the moment of a snapshot: the decision core decides one job of each shape, as for a single quote. */
export function quoteSpec(spec: PipelineSpec, snapshot: Snapshot, { jobOf, seenAs, explain }: QuoteSpecOptions): SpecQuote {
	const steps = spec.steps.map((step) => ({ step, jobs: step.runs.map(({ job }) => jobOf(job, step)) }));
	const { shapes, shapeOf } = groupByShape(steps.flatMap(({ jobs }) => jobs));
	// Each step gets its share of the deadline when it starts, and rules for jobs with a deadline then apply to it.
	const asked = shapes.map((job, index) => askedJob(seenAs({ ...job, deadlineMs: spec.deadlineMs }), snapshot, index));
	const explanationOf = explain(asked);
	const runTimeOf = makeRunTimeOf(snapshot.durations);
	const answers = asked.map((job) => {
		const explanation = explanationOf(job.jobId);
		const mayLeave = canEverBurst(judgeJob(snapshot.policy, job.spec).burst, job.spec.deadlineMs !== null);
		const run = quoteRun(explanation, { runTime: runTimeOf(job.spec), nowMs: snapshot.nowMs, mayLeave });
		return { run, reason: explanation.reason };
	});
	const answersOf = new Map<string, typeof answers>();
	let at = 0;
	for (const { step, jobs } of steps)
		answersOf.set(
			step.name,
			jobs.flatMap(() => answers[shapeOf[at++] ?? 0] ?? []),
		);
	const quote = quoteGraph(spec, ({ name }) => (answersOf.get(name) ?? []).map(({ run }) => run), snapshot.nowMs);
	const reasons = new Map([...answersOf].flatMap(([name, [first]]) => (first ? [[name, first.reason] as const] : [])));
	return { quote, reasons };
}
