import type { BacktestSums } from "#server/domain/backtest.ts";
import type { Policy } from "#server/domain/policy.ts";
import { sentenceOf } from "#server/domain/sentences.ts";
import { Engine } from "../replay/engine.ts";
import type { ReplayJob } from "../replay/job.ts";
import { Spillway, type SpillwayOptions } from "../replay/strategies/spillway.ts";
import { Collector } from "./collector.ts";
import type { RecordedHistory } from "./history.ts";
import { priorKnowledge, scenarioOf, traceOf } from "./scenario.ts";
import { sumsOf } from "./sums.ts";

/** Recorded history replayed under one policy. Plain data that can be cloned into another thread. */
export interface BacktestHalf {
	sums: BacktestSums;
	/** Outcomes of the jobs submitted in the period. */
	courses: Map<string, JobOutcome>;
	replaySeconds: number;
}

/** Outcome of one job. Times are UTC ms. */
export interface JobOutcome {
	place: string | null;
	accelerator: string | null;
	firstStartMs: number | null;
	finishedAtMs: number | null;
	costMicroUsd: bigint;
	emissionsGrams: number | null;
	explanation: string;
}

export interface HalfOptions {
	/** Called with the number of finished jobs and the total. */
	onProgress?: (done: number, total: number) => void;
	/** How often the core considers waiting jobs, when not every minute. */
	timing?: Pick<SpillwayOptions, "waitingTickMs" | "readRunsEveryMs">;
}

/** Replays the recorded jobs under a policy, through the live core, until the end of the recorded period. */
export function replayHalf(history: RecordedHistory, policy: Policy, { onProgress, timing }: HalfOptions = {}): BacktestHalf {
	const began = performance.now();
	const collector = new Collector(history.pools.length > 1);
	const jobs: ReplayJob[] = [];
	let waiting: ReturnType<Spillway["waiting"]> = new Map();
	const engine = new Engine(traceOf(history), scenarioOf(history), {
		untilMs: history.toMs,
		onJob: (job) => jobs.push(job),
		onRun: (measured) => collector.measured(measured),
		onCutOff: () => {
			waiting = spillway.waiting();
		},
		...(onProgress ? { onProgress } : {}),
	});
	const spillway = new Spillway(engine, policy, {
		...priorKnowledge(history),
		...timing,
		onAction: (_, action) => collector.acted(action),
	});
	engine.run(spillway);
	const submitted = jobsOfTime(history, jobs);
	const courses = new Map(submitted.map((job) => [job.id, outcomeOf(job, collector, waiting.get(job.id))]));
	const sums = sumsOf({ history, policy, collector, jobs, submitted, waiting, posted: (budget) => spillway.posted(budget) });
	return { sums, courses, replaySeconds: (performance.now() - began) / 1000 };
}

/** Jobs submitted earlier count in the cost totals but in no wait. */
function jobsOfTime({ jobs, fromMs }: RecordedHistory, replayed: readonly ReplayJob[]): ReplayJob[] {
	const before = new Set(jobs.filter((job) => job.submittedAtMs < fromMs).map(({ id }) => id));
	return replayed.filter(({ id }) => !before.has(id));
}

function outcomeOf(job: ReplayJob, collector: Collector, waits: Parameters<typeof sentenceOf>[0] | undefined): JobOutcome {
	const course = collector.courses.get(job.id);
	const { firstStartMs, finishedAtMs } = job;
	return {
		place: course?.place ?? null,
		accelerator: course?.accelerator ?? null,
		firstStartMs,
		finishedAtMs,
		costMicroUsd: course?.costMicroUsd ?? 0n,
		emissionsGrams: course ? course.emissionsGrams : 0,
		explanation: explanationOf(job, course?.reason ?? collector.reasonOf(job.id) ?? waits ?? null),
	};
}

function explanationOf(job: ReplayJob, why: Parameters<typeof sentenceOf>[0] | null): string {
	if (why) return sentenceOf(why);
	return job.givenUp ? "Withdrawn before it had started." : "Waiting in the queue at home when the time was over.";
}
