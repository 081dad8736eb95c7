import { and, eq, inArray, isNull } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { allocation } from "#server/db/schema/allocation.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import type { EventKind } from "#server/db/schema/event.ts";
import { job } from "#server/db/schema/job.ts";
import { type Exit, type FinalAttemptState, jobAfter, outcomeOf } from "#server/domain/outcome.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { type JobState, LIVE_ATTEMPT_STATES } from "#server/domain/states.ts";
import { assert } from "#server/kernel/assert.ts";
import { recordEvents } from "#server/services/notification/event/record.ts";
import { endRuns } from "../metric/end-runs.ts";
import { recordEndNotice } from "../notice/job.ts";
import { beginAllocation } from "./advance.ts";
import { lockJobOf } from "./lock-job.ts";

/**
 * Records the end of an attempt and its consequences for the job, once: a second call changes nothing and returns null. Call it only when
 * the command certainly no longer runs (its supervisor reported it, its machine was observed to end, or it is paused and may not continue),
 * because the job may be placed again right after. `fallback` is the reason for an end that has no exit and was not requested. `because` is
 * more precise than the reason for the stop.
 */
export async function finishAttempt(
	tx: Tx,
	input: { attemptId: string; exit: Exit | null; atMs: number; fallback?: Reason; because?: Reason },
): Promise<{ state: FinalAttemptState; jobState: JobState; jobId: string } | null> {
	await lockJobOf(tx, input.attemptId);
	const [row] = await tx
		.select({
			jobId: attempt.jobId,
			state: attempt.state,
			stopReason: attempt.stopReason,
			number: attempt.number,
			startedAt: attempt.startedAt,
			placement: attempt.placement,
		})
		.from(attempt)
		.where(and(eq(attempt.id, input.attemptId), inArray(attempt.state, [...LIVE_ATTEMPT_STATES])))
		.for("update");
	if (!row) return null;
	const outcome = outcomeOf(input.because ?? row.stopReason ?? (input.exit ? null : (input.fallback ?? null)), input.exit);
	const at = new Date(input.atMs);
	// A quick command may end before it was seen running. Pass through every state, so that its start is recorded too.
	if (outcome.state === "succeeded" && row.state !== "running" && row.state !== "stopping") {
		await tx
			.update(attempt)
			.set({ state: "running", startedAt: row.startedAt ?? at })
			.where(eq(attempt.id, input.attemptId));
	}
	await tx
		.update(attempt)
		.set({
			state: outcome.state,
			reason: outcome.reason,
			finishedAt: at,
			exitCode: input.exit?.code ?? null,
			exitSignal: input.exit?.signal ?? null,
			sealedSecrets: null,
		})
		.where(eq(attempt.id, input.attemptId));
	await endRuns(tx, { jobId: row.jobId, state: outcome.state, atMs: input.atMs });
	// It never started in the site's own queue, and so held nothing there.
	if (row.startedAt === null) await beginAllocation(tx, { attemptId: input.attemptId, siteId: row.placement.siteId }, at);
	await tx
		.update(allocation)
		.set({ endedAt: at })
		.where(and(eq(allocation.attemptId, input.attemptId), isNull(allocation.endedAt)));
	const jobState = await finishJob(tx, { jobId: row.jobId, number: row.number, outcome, at });
	return { state: outcome.state, jobState, jobId: row.jobId };
}

async function finishJob(
	tx: Tx,
	input: { jobId: string; number: number; outcome: { state: FinalAttemptState; reason: Reason }; at: Date },
): Promise<JobState> {
	const [row] = await tx
		.select({ state: job.state, team: job.team, cancelRequestedAt: job.cancelRequestedAt, startedAt: job.startedAt })
		.from(job)
		.where(eq(job.id, input.jobId))
		.for("update");
	assert(row, `attempt without its job ${input.jobId}`);
	assert(row.state === "admitted" || row.state === "running", `job ${input.jobId} has a live attempt but is ${row.state}`);
	const next = jobAfter(input.outcome.state, { cancelRequested: row.cancelRequestedAt !== null, attempts: input.number });
	const why =
		next === "failed" && input.outcome.state !== "failed" ? reason("too_many_attempts", { attempts: input.number }) : input.outcome.reason;
	if (next === "succeeded" && row.state === "admitted") {
		await tx
			.update(job)
			.set({ state: "running", startedAt: row.startedAt ?? input.at })
			.where(eq(job.id, input.jobId));
	}
	const final = next !== "queued";
	await tx
		.update(job)
		.set({ state: next, reason: why, forecast: null, ...(final ? { finishedAt: input.at } : { pendingSince: input.at }) })
		.where(eq(job.id, input.jobId));
	await recordEvents(tx, [{ kind: eventOf(next), atMs: input.at.getTime(), jobId: input.jobId, team: row.team, reason: why }]);
	await recordEndNotice(tx, { jobId: input.jobId, state: next, reason: why, nowMs: input.at.getTime() });
	await notify(tx, { wake: true, changes: [{ topic: "job", id: input.jobId, team: row.team }] });
	return next;
}

function eventOf(state: JobState): EventKind {
	if (state === "succeeded") return "job_succeeded";
	if (state === "failed") return "job_failed";
	return state === "cancelled" ? "job_cancelled" : "job_interrupted";
}
