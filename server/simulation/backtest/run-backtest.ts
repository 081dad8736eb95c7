import type { BacktestMove, BacktestPlace, BacktestResult } from "#server/domain/backtest.ts";
import type { Policy } from "#server/domain/policy.ts";
import { gapsOf } from "./gaps.ts";
import type { HistoryJob, RecordedHistory } from "./history.ts";
import { type BacktestHalf, type HalfOptions, type JobOutcome, replayHalf } from "./replay-half.ts";

/** Most moved jobs in the list. */
export const MOVED_MAX = 500;

/**
 * A draft and the published policy, replayed over the same recorded period. Everything but `replaySeconds` follows from the arguments.
 */
export function runBacktest(
	history: RecordedHistory,
	{ published, draft }: { published: Policy; draft: Policy },
	{ onProgress, timing }: HalfOptions = {},
): BacktestResult {
	const half = (policy: Policy, part: 0 | 1): BacktestHalf =>
		replayHalf(history, policy, {
			...(timing ? { timing } : {}),
			...(onProgress ? { onProgress: (done, total) => onProgress(part * total + done, 2 * total) } : {}),
		});
	return compareHalves(history, { published: half(published, 0), draft: half(draft, 1) }, { published, draft });
}

/** Compares two replays of the same period. */
export function compareHalves(
	history: RecordedHistory,
	halves: { published: BacktestHalf; draft: BacktestHalf },
	policies: { published: Policy; draft: Policy },
): BacktestResult {
	const { published, draft } = halves;
	const moved = history.jobs.flatMap((job) => moveOf(job, published.courses.get(job.id), draft.courses.get(job.id)));
	moved.sort((a, b) => byCostChange(a, b));
	return {
		published: published.sums,
		draft: draft.sums,
		moved: moved.slice(0, MOVED_MAX),
		movedCount: moved.length,
		gaps: gapsOf(history, halves, policies),
		replayedJobs: history.jobs.length,
		replaySeconds: Math.round((published.replaySeconds + draft.replaySeconds) * 1000) / 1000,
	};
}

function moveOf(job: HistoryJob, published: JobOutcome | undefined, draft: JobOutcome | undefined): BacktestMove[] {
	if (!published || !draft || published.place === draft.place) return [];
	const { spec } = job;
	return [
		{
			jobId: job.id,
			name: spec.name,
			team: spec.team,
			class: spec.class,
			gpus: spec.nodes * spec.resources.gpus,
			submittedAtMs: job.submittedAtMs,
			deadlineAtMs: spec.deadlineMs,
			published: placeOf(job, published),
			draft: placeOf(job, draft),
		},
	];
}

function placeOf(job: HistoryJob, outcome: JobOutcome): BacktestPlace {
	return {
		place: outcome.place,
		waitMs: outcome.firstStartMs === null ? null : outcome.firstStartMs - job.submittedAtMs,
		costMicroUsd: String(outcome.costMicroUsd),
		emissionsGrams: outcome.emissionsGrams === null ? null : Math.round(outcome.emissionsGrams),
		finishedAtMs: outcome.finishedAtMs,
		explanation: outcome.explanation,
	};
}

function byCostChange(a: BacktestMove, b: BacktestMove): number {
	const change = ({ published, draft }: BacktestMove): bigint => {
		const by = BigInt(draft.costMicroUsd) - BigInt(published.costMicroUsd);
		return by < 0n ? -by : by;
	};
	const [x, y] = [change(a), change(b)];
	if (x !== y) return x > y ? -1 : 1;
	return a.jobId < b.jobId ? -1 : 1;
}
