import { progressOf, workOf } from "#components/jobs/estimate.ts";
import type { AttemptView, CandidateView, DecisionView, JobDetail } from "#components/trpc/outputs.ts";
import { LIVE_ATTEMPT_STATES } from "#server/domain/states.ts";

const LIVE: readonly string[] = LIVE_ATTEMPT_STATES;

/** The running attempt; null while the job is queued or after it ended. */
export function liveAttempt(job: Pick<JobDetail, "attemptList">): AttemptView | null {
	const last = job.attemptList.at(-1);
	return last && LIVE.includes(last.state) ? last : null;
}

/** The candidate that placed an attempt. */
export function chosenFor(decisions: readonly DecisionView[], attemptNumber: number): CandidateView | null {
	const decision = decisions.find((d) => d.attemptNumber === attemptNumber);
	return decision?.candidates.find((c) => c.outcome === "chosen") ?? null;
}

/** Forecast of an unfinished job. Times in UTC ms, money in micro-dollars; null if unknown. */
export type Outlook = {
	finish: { p50Ms: number; p90Ms: number } | null;
	/** Total of all attempts. */
	totalMicroUsd: bigint | null;
	/** Work done so far in command time, and the fraction of the total. */
	progress: number | null;
	doneMs: number;
	workMs: number | null;
};

/**
 * The forecast of the placing decision, shifted to the actual command start. A queued job has its forecast owned start
 * plus the submitter's estimate.
 */
export function outlookOf(job: JobDetail, decisions: readonly DecisionView[], nowMs: number): Outlook {
	const live = liveAttempt(job);
	const began = live?.startedAt ? Date.parse(live.startedAt) : null;
	const chosen = live ? chosenFor(decisions, live.number) : null;
	const run = chosen && { p50: chosen.finish.p50Ms - chosen.start.p50Ms, p90: chosen.finish.p90Ms - chosen.start.p90Ms };
	return {
		...workOf(job, nowMs),
		finish: finishOf(job, { live, began, chosen, run, nowMs }),
		totalMicroUsd: job.expected === null ? null : atLeast(BigInt(job.costMicroUsd), BigInt(job.expected.totalMicroUsd)),
		progress: progressOf(job, nowMs),
	};
}

const atLeast = (least: bigint, amount: bigint): bigint => (amount > least ? amount : least);

type FinishFacts = {
	live: AttemptView | null;
	began: number | null;
	chosen: CandidateView | null;
	run: { p50: number; p90: number } | null;
	nowMs: number;
};

function finishOf(job: JobDetail, { live, began, chosen, run, nowMs }: FinishFacts): Outlook["finish"] {
	if (job.finishedAt !== null) return null;
	// A forecast in the past is clamped to now.
	const notPast = (range: { p50Ms: number; p90Ms: number }) => ({
		p50Ms: Math.max(nowMs, range.p50Ms),
		p90Ms: Math.max(nowMs, range.p90Ms),
	});
	if (began !== null && run) return notPast({ p50Ms: began + run.p50, p90Ms: began + run.p90 });
	if (live) return chosen ? notPast(chosen.finish) : null;
	if (job.forecast === null || job.estimateMs === null) return null;
	const rest = Math.max(0, job.estimateMs - job.completedMs);
	return notPast({ p50Ms: job.forecast.p50Ms + rest, p90Ms: job.forecast.p90Ms + rest });
}
