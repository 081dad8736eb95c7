import type { PendingJob, PoolView, RunningAttempt, Snapshot } from "#server/scheduling/types.ts";
import type { SimContext } from "./context.ts";
import type { DurationBook } from "./durations.ts";
import type { AttemptRecord, JobRecord } from "./records.ts";

/** What services/snapshot/load reads of the database, read of the book. Cost: what waits and what lives. */
export function takeSnapshot(ctx: SimContext, durations: DurationBook): Snapshot {
	const { scenario, book } = ctx;
	const nowMs = ctx.nowMs();
	return {
		nowMs,
		seed: scenario.seed,
		policy: scenario.policy,
		policyVersion: scenario.policyVersion,
		pools: poolViews(ctx),
		offers: ctx.shelf.list(),
		pending: Array.from(book.pending, (row) => pendingJob(row, nowMs)),
		running: Array.from(book.liveAttempts, (attempt) => runningAttempt(attempt, book.jobOf(attempt))),
		budgets: ctx.budgets.views(nowMs),
		durations: durations.read(),
		priceMaxAgeMs: scenario.timing.priceMaxAgeMs,
		cloudStartMs: scenario.timing.cloudStartMs,
		boardWatts: scenario.boardWatts,
	};
}

function pendingJob(row: JobRecord, nowMs: number): PendingJob {
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
	};
}

function runningAttempt(attempt: AttemptRecord, row: JobRecord): RunningAttempt {
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
	};
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
