import { SpillwayError } from "#server/kernel/errors.ts";
import type { MeasuredRun } from "./meter.ts";
import { type ReplayOptions, replay } from "./replay.ts";
import type { SeenJob } from "./run.ts";
import { type Grouped, SeriesRecorder } from "./series.ts";
import { TraceSpecs } from "./trace-spec.ts";
import type { ReplayReport, ReplayScenario, StrategyChoice, TraceJob } from "./types.ts";

/** Consecutive progress reports in which no job arrived, ran or ended: about 400,000 looks at the queue, most of a year. */
const STALLED_REPORTS = 400;

/**
 * Runs a replay and adds time series to its report. Benchmarks omit them because they cost a few percent.
 * @throws SpillwayError `precondition_failed` when jobs wait for something that never happens.
 */
export function replayWithSeries(
	jobs: readonly TraceJob[],
	scenario: ReplayScenario,
	choice: StrategyChoice,
	{ stalledReports = STALLED_REPORTS, ...options }: ReplayOptions & { stalledReports?: number } = {},
): ReplayReport & { series: NonNullable<ReplayReport["series"]> } {
	const series = new SeriesRecorder(scenario.startMs);
	const specs = new TraceSpecs(scenario.checkpointEveryMs);
	for (const job of jobs) {
		const fromMs = scenario.startMs + job.submitMs;
		series.demand({ fromMs, toMs: fromMs + job.durationMs, gpus: job.gpus });
	}
	const firstStarts = new Map<number, number>();
	let stalled = 0;
	const report = replay(jobs, scenario, choice, {
		...options,
		onRun: (measured) => {
			options.onRun?.(measured);
			const { run, why, endMs } = measured;
			if (why === "refused") return;
			stalled = 0;
			record(series, measured);
			const { job, commandAtMs } = run;
			if (endMs >= commandAtMs && !firstStarts.has(job.index)) firstStarts.set(job.index, commandAtMs);
			if (why !== "finished") return;
			const waitMs = (firstStarts.get(job.index) ?? commandAtMs) - job.submittedAtMs;
			series.done(groupOf(specs, job), { waitMs, timeToModelMs: endMs - job.submittedAtMs });
		},
		onRelease: (job) => {
			options.onRelease?.(job);
			const fromMs = scenario.startMs + job.submitMs;
			series.demand({ fromMs, toMs: fromMs + job.durationMs, gpus: job.gpus });
		},
		onKept: (machine, toMs) => {
			options.onKept?.(machine, toMs);
			const { offer, sinceMs: fromMs, costMicroUsd } = machine;
			series.use(offer.capacityType, { fromMs, toMs: machine.rentedUntil(toMs), gpus: offer.gpus });
			series.cost(offer.capacityType, { fromMs, toMs, microUsd: costMicroUsd });
		},
		onEvent: (atMs, what, about) => {
			options.onEvent?.(atMs, what, about);
			if (what !== "submitted" || "job" in about) return;
			stalled = 0;
			series.submitted(groupOf(specs, about));
		},
		onProgress: (done, total) => {
			options.onProgress?.(done, total);
			if (done < total && ++stalled > stalledReports) throw waitForever(choice.name, total - done);
		},
	});
	return { ...report, series: series.finish() };
}

function groupOf(specs: TraceSpecs, job: SeenJob): Grouped {
	return { team: job.team, workloadClass: specs.specOf(job).class };
}

function record(series: SeriesRecorder, { run, endMs, costMicroUsd }: MeasuredRun): void {
	const fromMs = run.placedAtMs;
	if (run.offer === null) {
		series.use("owned", { fromMs, toMs: endMs, gpus: run.job.gpus });
		return;
	}
	series.use(run.offer.capacityType, { fromMs, toMs: endMs, gpus: run.offer.gpus * run.instances });
	series.cost(run.offer.capacityType, { fromMs, toMs: endMs, microUsd: costMicroUsd });
}

function waitForever(strategy: string, jobs: number): SpillwayError {
	return new SpillwayError(
		"precondition_failed",
		`${strategy}: ${jobs} jobs wait for something that never happens: nothing has run for most of a year.`,
		{
			fix: "Check that the policy lets every job run somewhere, that the budgets cover the worst case of each job, and that capacity exists there.",
		},
	);
}
