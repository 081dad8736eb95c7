import { shownPlace } from "#components/place/placement.ts";
import type { AttemptView, DecisionView, JobDetail, ReceiptView } from "#components/trpc/outputs.ts";
import { chosenFor } from "./outlook.ts";

/** State of a job at one moment of its life. Money in micro-dollars, times UTC ms. */
export type JobMoment = {
	phase: "waiting" | "starting" | "staging data" | "running" | "stopping" | "ended";
	attempt: AttemptView | null;
	place: ReturnType<typeof shownPlace> | null;
	/** Price at which it was placed, all machines together. */
	hourlyMicroUsd: bigint | null;
	/** Metered lines up to that moment; each line is spread evenly over its time. */
	costMicroUsd: bigint;
	checkpointMs: number | null;
	/** Run time that an interruption would have cost. */
	unsavedMs: number | null;
	interruptions: number;
};

const ms = (iso: string | null): number | null => (iso === null ? null : Date.parse(iso));
const LOST: readonly string[] = ["interrupted", "evicted", "lost"];

export function momentOf(
	job: Pick<JobDetail, "attemptList" | "checkpoints" | "finishedAt">,
	decisions: readonly DecisionView[],
	receipt: Pick<ReceiptView, "attempts">,
	atMs: number,
): JobMoment {
	const attempt = job.attemptList.findLast((a) => Date.parse(a.createdAt) <= atMs && (ms(a.finishedAt) ?? Number.POSITIVE_INFINITY) > atMs);
	const phase = attempt ? phaseOf(attempt, atMs) : (ms(job.finishedAt) ?? Number.POSITIVE_INFINITY) <= atMs ? "ended" : "waiting";
	const saved = job.checkpoints.map((c) => Date.parse(c.createdAt)).filter((at) => at <= atMs);
	const checkpointMs = saved.length > 0 ? Math.max(...saved) : null;
	const began = attempt ? ms(attempt.startedAt) : null;
	const chosen = attempt ? chosenFor(decisions, attempt.number) : null;
	return {
		phase,
		attempt: attempt ?? null,
		place: attempt ? shownPlace(attempt.placement) : null,
		hourlyMicroUsd: chosen ? BigInt(chosen.hourlyMicroUsd) : null,
		costMicroUsd: receipt.attempts.flatMap((a) => a.lines).reduce((sum, line) => sum + costUntil(line, atMs), 0n),
		checkpointMs,
		unsavedMs: began !== null && phase === "running" ? atMs - Math.max(began, checkpointMs ?? 0) : null,
		interruptions: job.attemptList.filter((a) => LOST.includes(a.state) && (ms(a.finishedAt) ?? Number.POSITIVE_INFINITY) <= atMs).length,
	};
}

function phaseOf(attempt: AttemptView, atMs: number): JobMoment["phase"] {
	const isPast = (iso: string | null) => (ms(iso) ?? Number.POSITIVE_INFINITY) <= atMs;
	if (isPast(attempt.stopRequestedAt)) return "stopping";
	if (isPast(attempt.startedAt)) return "running";
	return isPast(attempt.stagingAt) ? "staging data" : "starting";
}

type Line = ReceiptView["attempts"][number]["lines"][number];

function costUntil({ fromMs, toMs, costMicroUsd }: Pick<Line, "fromMs" | "toMs" | "costMicroUsd">, atMs: number): bigint {
	if (atMs >= toMs) return costMicroUsd;
	if (atMs <= fromMs) return 0n;
	return (costMicroUsd * BigInt(Math.floor(atMs - fromMs))) / BigInt(Math.max(1, Math.round(toMs - fromMs)));
}

/** A checkpoint is overdue when more than twice its interval has run without one. */
const OVERDUE_INTERVALS = 2;

/** How long the live attempt has run without saving, if that is too long; null otherwise. */
export function overdueCheckpointMs(
	job: Pick<JobDetail, "attemptList" | "checkpoints" | "spec" | "finishedAt">,
	nowMs: number,
): number | null {
	const live = job.attemptList.at(-1);
	const began = live && live.finishedAt === null ? ms(live.startedAt) : null;
	if (!job.spec.checkpoint || began === null || job.finishedAt !== null) return null;
	const saved = job.checkpoints.map((c) => Date.parse(c.createdAt));
	const unsavedMs = nowMs - Math.max(began, ...saved);
	return unsavedMs > OVERDUE_INTERVALS * job.spec.checkpoint.intervalMs ? unsavedMs : null;
}
