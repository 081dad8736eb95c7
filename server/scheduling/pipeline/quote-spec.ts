import type { Explanation } from "#server/domain/decision.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { PipelineSpec, StepSpec } from "#server/domain/pipeline/pipeline.ts";
import type { Reason } from "#server/domain/reasons.ts";
import type { InParts } from "#server/kernel/in-parts.ts";
import { judgeJob } from "#server/policy/judge-job.ts";
import { canEverBurst } from "../burst.ts";
import { askedJob } from "../quote/asked-job.ts";
import { makeRunTimeOf } from "../run-time.ts";
import type { PendingJob, Snapshot } from "../types.ts";
import { type GraphQuote, quoteGraph, quoteRun, type RunQuote } from "./quote-graph.ts";
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

/** Shapes decided in one part. Each decision also opens a cycle over the snapshot. */
const SHAPES_AT_ONCE = 20;

/** Quotes a whole graph at the moment of a snapshot: the decision core decides one job of each shape, as for a single quote. */
export function* quoteSpec(spec: PipelineSpec, snapshot: Snapshot, { jobOf, seenAs, explain }: QuoteSpecOptions): InParts<SpecQuote> {
	const steps = spec.steps.map((step) => ({ step, jobs: step.runs.map(({ job }) => jobOf(job, step)) }));
	const { shapes, shapeOf } = yield* groupByShape(steps.flatMap(({ jobs }) => jobs));
	// Each step gets its share of the deadline when it starts, and rules for jobs with a deadline then apply to it.
	const asked = shapes.map((job, index) => askedJob(seenAs({ ...job, deadlineMs: spec.deadlineMs }), snapshot, index));
	const runTimeOf = makeRunTimeOf(snapshot.durations);
	const answerOf = (job: PendingJob, explanation: Explanation): { run: RunQuote; reason: Reason } => {
		const mayLeave = canEverBurst(judgeJob(snapshot.policy, job.spec).burst, job.spec.deadlineMs !== null);
		const times = { runTime: runTimeOf(job.spec), runMaxMs: job.spec.duration.maxMs, nowMs: snapshot.nowMs };
		const run = quoteRun(explanation, { ...times, mayLeave });
		return { run, reason: explanation.reason };
	};
	const answers: ReturnType<typeof answerOf>[] = [];
	for (let from = 0; from < asked.length; from += SHAPES_AT_ONCE) {
		const jobs = asked.slice(from, from + SHAPES_AT_ONCE);
		const explanationOf = explain(jobs);
		answers.push(...jobs.map((job) => answerOf(job, explanationOf(job.jobId))));
		yield;
	}
	const answersOf = new Map<string, typeof answers>();
	let at = 0;
	for (const { step, jobs } of steps)
		answersOf.set(
			step.name,
			jobs.flatMap(() => answers[shapeOf[at++] ?? 0] ?? []),
		);
	const quote = yield* quoteGraph(spec, ({ name }) => (answersOf.get(name) ?? []).map(({ run }) => run), snapshot.nowMs);
	const reasons = new Map([...answersOf].flatMap(([name, [first]]) => (first ? [[name, first.reason] as const] : [])));
	return { quote, reasons };
}
