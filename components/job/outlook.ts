import type { AttemptView, CandidateView, DecisionView, JobDetail, ReceiptView } from "#components/trpc/outputs.ts";
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
export function outlookOf(
	job: JobDetail,
	decisions: readonly DecisionView[],
	receipt: Pick<ReceiptView, "attempts">,
	nowMs: number,
): Outlook {
	const live = liveAttempt(job);
	const began = live?.startedAt ? Date.parse(live.startedAt) : null;
	const before = completedBefore(job, live);
	const doneMs = Math.max(job.completedMs, before + (began === null ? 0 : Math.max(0, nowMs - began)));
	const chosen = live ? chosenFor(decisions, live.number) : null;
	const run = chosen && { p50: chosen.finish.p50Ms - chosen.start.p50Ms, p90: chosen.finish.p90Ms - chosen.start.p90Ms };
	const workMs = run ? before + run.p50 : job.estimateMs;
	const finish = finishOf(job, { live, began, chosen, run, nowMs });
	const earlier = receipt.attempts.filter((a) => a.attemptId !== live?.id).reduce((sum, a) => sum + a.totals.costMicroUsd, 0n);
	return {
		finish,
		totalMicroUsd: chosen ? earlier + BigInt(chosen.totalMicroUsd) : null,
		progress: workMs === null || workMs <= 0 ? null : Math.min(1, doneMs / workMs),
		doneMs,
		workMs,
	};
}

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

/** Work checkpointed before this attempt. */
function completedBefore(job: JobDetail, live: AttemptView | null): number {
	const earlier = job.checkpoints.filter((c) => c.attemptId !== live?.id).map((c) => c.completedMs);
	return Math.max(0, ...earlier);
}
