import { attemptIdOf } from "#server/kernel/ids.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import type { DurationBook } from "#server/scheduling/forecast/duration-book.ts";
import { keptRooms, type LeavingAttempt } from "#server/scheduling/kept-room.ts";
import type { MoveTarget, PendingJob, PoolView, RunningAttempt, Snapshot } from "#server/scheduling/types.ts";
import type { SimContext } from "./context.ts";
import type { AttemptRecord, JobRecord } from "./records.ts";

/** How long the destination of a moved job stays reserved. */
const MOVE_VALID_MS = 10 * MINUTE_MS;

/** What services/snapshot/load reads from the database, read from the book. Cost: waiting and live rows. */
export function takeSnapshot(ctx: SimContext, durations: DurationBook): Snapshot {
	const { scenario, book } = ctx;
	const nowMs = ctx.nowMs();
	const rooms = keptRooms(leavingAttempts(ctx), nowMs);
	return {
		nowMs,
		seed: scenario.seed,
		policy: scenario.policy,
		policyVersion: scenario.policyVersion,
		pools: poolViews(ctx),
		offers: ctx.shelf.list(),
		pending: Array.from(book.pending, (row) => ({ ...pendingJob(ctx, row, nowMs), room: rooms.get(row.id) ?? null })),
		running: Array.from(book.liveAttempts, (attempt) => runningAttempt(ctx, attempt, book.jobOf(attempt))),
		budgets: ctx.budgets.views(nowMs),
		durations: durations.read(),
		priceMaxAgeMs: scenario.timing.priceMaxAgeMs,
		cloudStartMs: scenario.timing.cloudStartMs,
		boardWatts: scenario.boardWatts,
	};
}

/** The counterpart of services/snapshot/load: attempts asked to make room for another job. */
function* leavingAttempts({ book, scenario }: SimContext): Iterable<LeavingAttempt> {
	if (!scenario.policy.rules.some(({ effect }) => effect.kind === "preempt")) return;
	for (const { stopReason, stopRequestedAtMs, finishedAtMs } of book.attempts.values()) {
		if (stopReason) yield { stopReason, askedAtMs: stopRequestedAtMs, endedAtMs: finishedAtMs };
	}
}

function pendingJob(ctx: SimContext, row: JobRecord, nowMs: number): PendingJob {
	return {
		jobId: row.id,
		spec: row.spec,
		state: row.state === "held" ? "held" : "queued",
		submittedAtMs: row.submittedAtMs,
		pendingSinceMs: row.pendingSinceMs,
		nextAttemptNo: row.attempts + 1,
		completedMs: row.completedMs,
		avoidOffers: row.avoidOffers.length === 0 ? row.avoidOffers : row.avoidOffers.filter((a) => a.untilMs > nowMs),
		approvedMicroUsd: null,
		movingTo: movingTo(ctx, row, nowMs),
	};
}

/** The destination for which its newest attempt was stopped, while that is recent. */
function movingTo(ctx: SimContext, row: JobRecord, nowMs: number): MoveTarget | null {
	if (row.attempts === 0) return null;
	const last = ctx.book.attempts.get(attemptIdOf(row.id, row.attempts));
	const fresh = last?.finishedAtMs !== null && last?.finishedAtMs !== undefined && nowMs - last.finishedAtMs <= MOVE_VALID_MS;
	return fresh ? (last.move?.to ?? null) : null;
}

export function runningAttempt(ctx: SimContext, attempt: AttemptRecord, row: JobRecord): RunningAttempt {
	const instance = attempt.instanceId === null ? undefined : ctx.book.instances.get(attempt.instanceId);
	return {
		jobId: row.id,
		attemptId: attempt.id,
		spec: row.spec,
		placement: attempt.placement,
		slots: attempt.slots,
		startedAtMs: attempt.startedAtMs,
		placedAtMs: attempt.createdAtMs,
		completedMs: attempt.completedBeforeMs,
		stopping: attempt.state === "stopping",
		savedMs: savedMs(attempt, row, ctx.nowMs()),
		nextCheckpointAtMs: nextCheckpointAt(attempt, row, ctx.nowMs()),
		movingTo: attempt.move?.to ?? null,
		...(instance && { offerId: instance.offer.id, microUsdPerHour: instance.microUsdPerHour, expiresAtMs: instance.expiresAtMs }),
	};
}

/** Checkpoints are saved at intervals; the number completed by this attempt follows from its start. */
function checkpointsOf(attempt: AttemptRecord, row: JobRecord, nowMs: number): { everyMs: number; made: number } | null {
	if (attempt.startedAtMs === null || !row.spec.checkpoint) return null;
	const everyMs = row.spec.checkpoint.intervalMs;
	return { everyMs, made: Math.floor(Math.max(0, nowMs - attempt.startedAtMs) / everyMs) };
}

function savedMs(attempt: AttemptRecord, row: JobRecord, nowMs: number): number {
	const kept = checkpointsOf(attempt, row, nowMs);
	return attempt.completedBeforeMs + (kept ? kept.made * kept.everyMs : 0);
}

function nextCheckpointAt(attempt: AttemptRecord, row: JobRecord, nowMs: number): number | null {
	const kept = checkpointsOf(attempt, row, nowMs);
	return kept === null || attempt.startedAtMs === null ? null : attempt.startedAtMs + (kept.made + 1) * kept.everyMs;
}

function poolViews(ctx: SimContext): PoolView[] {
	const taken = new Map<string, Set<number>>();
	for (const open of ctx.book.openAllocations.values()) {
		const slots = taken.get(open.poolId) ?? new Set();
		for (const slot of open.slots) slots.add(slot);
		taken.set(open.poolId, slots);
	}
	return ctx.scenario.pools.map(({ ownedSinceMs: _, ...pool }) => {
		const busy = taken.get(pool.id);
		const freeSlots: number[] = [];
		for (let slot = 0; slot < pool.nodes * pool.gpusPerNode; slot++) if (!busy?.has(slot)) freeSlots.push(slot);
		return { ...pool, healthy: true, freeSlots };
	});
}
