import { type Exit, jobAfter, outcomeOf } from "#server/domain/outcome.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { ATTEMPT_TRANSITIONS, isFinal, JOB_TRANSITIONS } from "#server/domain/states.ts";
import { assert } from "#server/kernel/assert.ts";
import type { SimContext } from "./context.ts";
import type { AttemptRecord, JobRecord } from "./records.ts";

/** Counterparts of services/attempt: how an attempt progresses and ends, and what follows for its job. */

export function isOver(attempt: AttemptRecord): boolean {
	return isFinal(ATTEMPT_TRANSITIONS, attempt.state);
}

/** The first reason is kept. */
export function requestStop(ctx: SimContext, attempt: AttemptRecord, why: Reason): void {
	if (attempt.stopRequestedAtMs !== null) return;
	if (attempt.state !== "starting" && attempt.state !== "staging" && attempt.state !== "running") return;
	ctx.book.moveAttempt(attempt, "stopping");
	Object.assign(attempt, { stopRequestedAtMs: ctx.nowMs(), stopReason: why });
	ctx.stopRequested(attempt);
	ctx.wake();
}

/** Counterpart of services/attempt/request-move: the first move is kept, and an earlier stop request is not overridden. */
export function requestMove(ctx: SimContext, attempt: AttemptRecord, move: NonNullable<AttemptRecord["move"]>): boolean {
	if (attempt.stopRequestedAtMs !== null || attempt.move !== null || isOver(attempt)) return false;
	attempt.move = move;
	if (move.atMs <= ctx.nowMs()) requestStop(ctx, attempt, move.reason);
	else ctx.at(move.atMs, () => ctx.wake());
	return true;
}

/** Asks every attempt with a due move to end. */
export function beginDueMoves(ctx: SimContext): void {
	for (const attempt of [...ctx.book.liveAttempts]) {
		if (attempt.move && attempt.move.atMs <= ctx.nowMs()) requestStop(ctx, attempt, attempt.move.reason);
	}
}

export function markStaging(ctx: SimContext, attempt: AttemptRecord): void {
	if (attempt.state !== "starting") return;
	ctx.book.moveAttempt(attempt, "staging");
	attempt.stagingAtMs = ctx.nowMs();
}

export function markRunning(ctx: SimContext, attempt: AttemptRecord, atMs: number): void {
	if (attempt.state !== "starting" && attempt.state !== "staging") return;
	ctx.book.moveAttempt(attempt, "running");
	attempt.startedAtMs = atMs;
	const row = ctx.book.jobOf(attempt);
	if (row.state !== "admitted") return;
	ctx.book.moveJob(row, "running");
	row.startedAtMs ??= atMs;
	row.reason = reason("started", { attempt: attempt.number });
	ctx.sink.news({ kind: "job_started", atMs, jobId: row.id, instanceId: null, siteId: null, reason: null });
	const { maxMs } = row.spec.duration;
	// The core stops jobs that run too long, so it must run at that moment.
	if (maxMs !== null) ctx.at(Math.max(ctx.nowMs(), atMs + maxMs - attempt.completedBeforeMs), () => ctx.wake());
}

/** Idempotent. Only for a command that certainly no longer runs. */
export function finishAttempt(ctx: SimContext, attempt: AttemptRecord, exit: Exit | null, atMs: number, fallback?: Reason): void {
	if (isOver(attempt)) return;
	const outcome = outcomeOf(attempt.stopReason ?? (exit ? null : (fallback ?? null)), exit);
	if (outcome.state === "succeeded" && attempt.state !== "running" && attempt.state !== "stopping") {
		ctx.book.moveAttempt(attempt, "running");
		attempt.startedAtMs ??= atMs;
	}
	ctx.book.moveAttempt(attempt, outcome.state);
	Object.assign(attempt, { reason: outcome.reason, finishedAtMs: atMs, exitCode: exit?.code ?? null, exitSignal: exit?.signal ?? null });
	ctx.book.closeAllocation(attempt.id, atMs);
	finishJob(ctx, ctx.book.jobOf(attempt), attempt, outcome.reason, atMs);
	ctx.wake();
}

function finishJob(ctx: SimContext, row: JobRecord, attempt: AttemptRecord, why: Reason, atMs: number): void {
	assert(row.state === "admitted" || row.state === "running", `job ${row.id} has a live attempt but is ${row.state}`);
	const { state } = attempt;
	assert(state !== "starting" && state !== "staging" && state !== "running" && state !== "stopping", "the attempt is over");
	const next = jobAfter(state, { cancelRequested: row.cancelRequestedAtMs !== null, attempts: attempt.number });
	const tooMany = next === "failed" && state !== "failed";
	if (next === "succeeded" && row.state === "admitted") {
		ctx.book.moveJob(row, "running");
		row.startedAtMs ??= atMs;
	}
	ctx.book.moveJob(row, next);
	row.reason = tooMany ? reason("too_many_attempts", { attempts: attempt.number }) : why;
	if (isFinal(JOB_TRANSITIONS, next)) row.finishedAtMs = atMs;
	else row.pendingSinceMs = atMs;
	const kind = next === "succeeded" || next === "failed" || next === "cancelled" ? (`job_${next}` as const) : "job_interrupted";
	ctx.sink.news({ kind, atMs, jobId: row.id, instanceId: null, siteId: null, reason: row.reason });
}

/** A person's cancel: immediate for a waiting job, otherwise by stopping its attempt. */
export function cancelJob(ctx: SimContext, row: JobRecord): void {
	if (isFinal(JOB_TRANSITIONS, row.state) || row.cancelRequestedAtMs !== null) return;
	const why = reason("cancelled_by_person", { by: `team ${row.spec.team}` });
	row.cancelRequestedAtMs = ctx.nowMs();
	const live = [...ctx.book.liveAttempts].find((a) => a.jobId === row.id);
	if (live) {
		requestStop(ctx, live, why);
		return;
	}
	ctx.book.moveJob(row, "cancelled");
	Object.assign(row, { reason: why, finishedAtMs: ctx.nowMs() });
	ctx.sink.news({ kind: "job_cancelled", atMs: ctx.nowMs(), jobId: row.id, instanceId: null, siteId: null, reason: why });
	ctx.wake();
}
