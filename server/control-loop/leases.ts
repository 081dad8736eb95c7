import { and, eq, inArray, isNotNull, isNull, ne, or, sql } from "drizzle-orm";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { LIVE_ATTEMPT_STATES } from "#server/domain/states.ts";
import { SECOND_MS } from "#server/kernel/units.ts";
import { listenedMs } from "#server/services/work/agent/listening.ts";
import { fenceMember } from "#server/services/work/attempt/fence-member.ts";
import type { LoopContext } from "./context.ts";

/** A lease expires here a quarter later than at the agent: clocks drift, pausing takes time, and requests may be in flight. */
const MARGIN = 1.25;
/** The most that one check adds to a silence, in case the clock jumped or checks were paused. */
const LOOK_MAX_MS = 10 * SECOND_MS;

/** Silence observed by this process and its own clock, because clocks of different hosts are not comparable. */
export type LeaseMemory = Map<string, { wordMs: number | null; silentMs: number; lookedMs: number }>;

export function newLeaseMemory(): LeaseMemory {
	return new Map();
}

export function fenceAfterMs(leaseMs: number): number {
	return leaseMs * MARGIN;
}

/**
 * Fences machines of critical jobs that were silent for longer than their lease. Their commands are paused and cannot resume,
 * so their jobs continue elsewhere while the machines are terminated. No provider is called, because it may not respond.
 * A machine without an enrolled agent is fenced when its attempt was stopped, or when its launch outcome stays unknown for that
 * long: nothing runs there, and it can no longer enroll.
 * Cost: one query, and a transaction per fenced machine.
 */
export async function checkLeases(ctx: LoopContext, memory: LeaseMemory): Promise<void> {
	const rows = await readLeased(ctx);
	const heard = rows.length > 0 ? await listenedMs(ctx.db) : 0;
	const known = new Set(rows.map((row) => row.instanceId));
	for (const id of memory.keys()) if (!known.has(id)) memory.delete(id);
	for (const row of rows) {
		const silentMs = Math.min(noteSilence(memory, row, ctx.clock.nowMs()), heard);
		const why = whyFenced(row, silentMs, ctx.timing.leaseMs);
		if (why === null) continue;
		const { instanceId, attemptId, nodes } = row;
		const member = { instanceId, attemptId, nodes, heardAtMs: row.lastHeardAt?.getTime() ?? null };
		ctx.probe("lease:over");
		await ctx.db.transaction((tx) => fenceMember(tx, { ...member, reason: why, atMs: ctx.clock.nowMs() }));
		ctx.probe("lease:fenced");
	}
}

type Leased = Awaited<ReturnType<typeof readLeased>>[number];

/** Machines with an unfinished part of a live attempt, for which silence may mean that nothing runs. */
function readLeased(ctx: LoopContext) {
	const { id: instanceId, state, leaseMs, readyAt, requestedAt, providerInstanceId, lastError, lastHeardAt } = instance;
	const nodes = sql<number>`(${job.spec}->>'nodes')::int`;
	const neverCame = and(isNull(readyAt), isNotNull(requestedAt), sql`(${job.spec}->>'critical')::boolean`);
	return ctx.db
		.select({
			...{ instanceId, attemptId: attempt.id, state, leaseMs, readyAt, providerInstanceId, lastError, lastHeardAt, nodes },
			...{ offerId: sql<string>`${instance.offer}->>'id'`, stopRequestedAt: attempt.stopRequestedAt },
		})
		.from(instance)
		.innerJoin(attempt, eq(attempt.id, instance.attemptId))
		.innerJoin(job, eq(job.id, instance.jobId))
		.where(
			and(
				inArray(attempt.state, [...LIVE_ATTEMPT_STATES]),
				ne(state, "terminated"),
				isNull(instance.fencedAt),
				isNull(instance.exit),
				or(isNotNull(leaseMs), neverCame),
			),
		)
		.orderBy(instanceId);
}

/** Adds to the silence on each check without a new heartbeat. */
function noteSilence(memory: LeaseMemory, row: Leased, nowMs: number): number {
	const wordMs = row.lastHeardAt?.getTime() ?? null;
	const before = memory.get(row.instanceId);
	const isSame = before !== undefined && before.wordMs === wordMs;
	const silentMs = isSame ? before.silentMs + Math.min(Math.max(0, nowMs - before.lookedMs), LOOK_MAX_MS) : 0;
	memory.set(row.instanceId, { wordMs, silentMs, lookedMs: nowMs });
	return silentMs;
}

function whyFenced(row: Leased, silentMs: number, leaseMs: number): Reason | null {
	if (row.readyAt !== null) {
		const isOver = row.leaseMs !== null && silentMs > fenceAfterMs(row.leaseMs);
		return isOver ? reason("agent_silent", { silentMs, fenced: true }) : null;
	}
	if (leaseMs === 0) return null;
	const isUnanswered = row.providerInstanceId === null && row.lastError !== null && silentMs > fenceAfterMs(leaseMs);
	const isGivenUp = row.stopRequestedAt !== null;
	return isUnanswered || isGivenUp ? reason("instance_not_ready_in_time", { waitedMs: silentMs, offerId: row.offerId }) : null;
}
