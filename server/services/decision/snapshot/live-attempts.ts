import { and, asc, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { adoption } from "#server/db/schema/adoption.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { LIVE_ATTEMPT_STATES } from "#server/domain/states.ts";
import type { LeavingAttempt } from "#server/scheduling/kept-room.ts";
import type { RunningAttempt } from "#server/scheduling/types.ts";
import { MARGINAL_PRICE } from "#server/services/capacity/instance/marginal-price.ts";
import { byClock, type Speeds } from "#server/services/capacity/site/pool-speed.ts";

/** A live attempt without its job's spec, which is cached between cycles. */
export type LiveAttemptFacts = Omit<RunningAttempt, "spec" | "nextCheckpointAtMs"> & {
	lastSavedAtMs: number | null;
	leaving: LeavingAttempt;
};

/** Live attempts with their saved progress and destination, and the cost and maximum life of their machines. */
export async function readLiveAttempts(tx: Tx, speeds: Speeds): Promise<LiveAttemptFacts[]> {
	const rows = await tx
		.select({
			jobId: attempt.jobId,
			attemptId: attempt.id,
			placement: attempt.placement,
			slots: attempt.slots,
			state: attempt.state,
			createdAt: attempt.createdAt,
			startedAt: attempt.startedAt,
			movingTo: attempt.movingTo,
			moveRequest: attempt.moveRequest,
			stopReason: attempt.stopReason,
			stopRequestedAt: attempt.stopRequestedAt,
			savedMs: job.completedMs,
			homePoolId: sql<string | null>`${adoption.facts}->>'poolId'`,
			returnAt: adoption.returnAt,
			// Progress saved by earlier attempts: this one's own checkpoints are part of its run time.
			completedMs: sql<string>`(select coalesce(max(c.completed_ms), 0) from checkpoint c where c.job_id = ${attempt.jobId} and c.attempt_id <> ${attempt.id})`,
			lastSavedMs: sql<
				string | null
			>`(select extract(epoch from max(c.created_at)) * 1000 from checkpoint c where c.job_id = ${attempt.jobId} and c.attempt_id = ${attempt.id})`,
		})
		.from(attempt)
		.innerJoin(job, eq(job.id, attempt.jobId))
		.leftJoin(adoption, and(eq(adoption.jobId, attempt.jobId), isNull(adoption.endedAt)))
		.where(inArray(attempt.state, [...LIVE_ATTEMPT_STATES]))
		.orderBy(asc(attempt.id));
	if (rows.length === 0) return [];
	const machines = await readMachines(tx);
	return rows.map((r) => ({
		jobId: r.jobId,
		attemptId: r.attemptId,
		placement: r.placement,
		slots: r.slots,
		startedAtMs: r.startedAt?.getTime() ?? null,
		placedAtMs: r.createdAt.getTime(),
		completedMs: Number(r.completedMs),
		...byClock(Number(r.completedMs), speeds),
		...speedFacts(speeds.of(r.placement)),
		// A job that returns to its cluster at its next checkpoint already belongs to that cluster.
		stopping: r.state === "stopping" || r.returnAt !== null,
		...(r.homePoolId === null ? {} : { homePoolId: r.homePoolId }),
		savedMs: Number(r.savedMs),
		movingTo: r.movingTo,
		...(r.moveRequest && { moveRequest: r.moveRequest }),
		lastSavedAtMs: r.lastSavedMs === null ? null : Number(r.lastSavedMs),
		leaving: { stopReason: r.stopReason, askedAtMs: r.stopRequestedAt?.getTime() ?? null, endedAtMs: null },
		...machines.get(r.attemptId),
	}));
}

/** The default speed is omitted. */
function speedFacts(speed: number): { speed?: number } {
	return speed === 1 ? {} : { speed };
}

type MachineFacts = Pick<RunningAttempt, "offerId" | "microUsdPerHour" | "expiresAtMs">;

/** By attempt: the offer, the price of all its machines together, and the earliest end of a machine's lifetime. */
async function readMachines(tx: Tx): Promise<Map<string, MachineFacts>> {
	const rows = await tx
		.select({
			attemptId: sql<string>`${instance.attemptId}`,
			offerId: sql<string>`min(${instance.offer}->>'id')`,
			microUsdPerHour: sql<string>`sum(${MARGINAL_PRICE})`,
			expiresAtMs: sql<string>`extract(epoch from min(${instance.expiresAt})) * 1000`,
		})
		.from(instance)
		.where(sql`${instance.state} <> 'terminated' and ${instance.attemptId} is not null`)
		.groupBy(instance.attemptId);
	return new Map(
		rows.map((r) => [
			r.attemptId,
			{ offerId: r.offerId, microUsdPerHour: BigInt(r.microUsdPerHour), expiresAtMs: Math.round(Number(r.expiresAtMs)) },
		]),
	);
}

/**
 * When a running attempt's next checkpoint is due: one interval after the last one it saved, or after its start. Null without a schedule,
 * before its start, and when it is overdue by a whole interval: a job that does not keep its schedule must not be moved by it.
 */
export function nextCheckpointAt(facts: LiveAttemptFacts, spec: JobSpec, nowMs: number): number | null {
	if (!spec.checkpoint || facts.startedAtMs === null) return null;
	const { intervalMs } = spec.checkpoint;
	const dueMs = (facts.lastSavedAtMs ?? facts.startedAtMs) + intervalMs;
	return nowMs > dueMs + intervalMs ? null : dueMs;
}
