import { and, eq, inArray, isNotNull, isNull, ne, or, sql } from "drizzle-orm";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { LIVE_ATTEMPT_STATES } from "#server/domain/states.ts";
import { SECOND_MS } from "#server/kernel/units.ts";
import { listenedMs } from "#server/services/agent/listening.ts";
import { fenceMember } from "#server/services/attempt/fence-member.ts";
import type { LoopContext } from "./context.ts";

/**
 * A lease counts as over here only a quarter of it later: for clocks that do not go alike, for the moment that everything takes to be
 * made to stand still, and for what was sent before.
 */
const MARGIN = 1.25;
/** What one look adds to a silence at most: whatever the clock was put to, and however long nobody looked. */
const LOOK_MAX_MS = 10 * SECOND_MS;

/** Silence that this process has seen itself, by its own clock: that of another host says nothing of when a word came. */
export type LeaseMemory = Map<string, { wordMs: number | null; silentMs: number; lookedMs: number }>;

export function newLeaseMemory(): LeaseMemory {
	return new Map();
}

export function fenceAfterMs(leaseMs: number): number {
	return leaseMs * MARGIN;
}

/**
 * Fences the machines of critical jobs whose silence has outlasted their lease: their commands stand still and may not go on, so
 * their jobs go on elsewhere, while the machines are ended as before. No provider is asked, since the one that matters may not
 * answer. A machine whose agent never enrolled is fenced when its attempt was told to stop, or when its launch has had no clear
 * answer for as long: nothing runs there, and it is let in no more.
 * Cost: one read, and a transaction for each that is fenced.
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

/** Machines whose part of a live attempt is not over, and of which silence may mean that nothing runs. */
function readLeased(ctx: LoopContext) {
	const { id: instanceId, attemptId, state, leaseMs, readyAt, requestedAt, providerInstanceId, lastError, lastHeardAt } = instance;
	const nodes = sql<number>`(${job.spec}->>'nodes')::int`;
	const neverCame = and(isNull(readyAt), isNotNull(requestedAt), sql`(${job.spec}->>'critical')::boolean`);
	return ctx.db
		.select({
			...{ instanceId, attemptId, state, leaseMs, readyAt, providerInstanceId, lastError, lastHeardAt, nodes },
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

/** Every look that finds the same word as the one before makes the silence longer. */
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
