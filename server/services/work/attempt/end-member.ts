import { and, asc, eq, isNull } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { gangEnd, gangStopReason, type Member } from "#server/domain/gang.ts";
import type { Exit } from "#server/domain/outcome.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { finishAttempt } from "./finish.ts";
import { lockJobOf } from "./lock-job.ts";
import { requestStop } from "./request-stop.ts";

/**
 * Records that nothing of the command runs any more on one machine of an attempt. `exit` is the agent's report; null when the machine was
 * observed to have ended (its row is already `terminated`, with its reason), never existed, or is fenced. The attempt ends with its last
 * machine. A gang member that failed stops all others, with the reason that the attempt will carry. `fallback`: why the machine no longer
 * exists when its end was not requested.
 */
export async function endMember(
	tx: Tx,
	input: { attemptId: string; instanceId: string; exit: Exit | null; atMs: number; fallback?: Reason },
): Promise<void> {
	const { attemptId, instanceId, exit, atMs, fallback } = input;
	if (exit) {
		await tx
			.update(instance)
			.set({ exit })
			.where(and(eq(instance.id, instanceId), isNull(instance.exit)));
	}
	// A concurrent second caller waits here and then sees what the first one wrote.
	await lockJobOf(tx, attemptId);
	const members = await readMembers(tx, attemptId);
	if (members.length <= 1) {
		await finishAttempt(tx, { attemptId, exit, atMs, ...(fallback ? { fallback } : {}) });
		return;
	}
	const self = members.find(({ id }) => id === instanceId);
	const why = self && gangStopReason(self, members.length, fallback ?? null);
	if (why) await requestStop(tx, { attemptId, reason: why, atMs });
	if (members.some((m) => m.exit === null && m.state !== "terminated" && m.fencedAt === null)) return;
	const [row] = await tx.select({ stopReason: attempt.stopReason }).from(attempt).where(eq(attempt.id, attemptId));
	await finishAttempt(tx, { attemptId, atMs, ...gangEnd(members, row?.stopReason ?? null) });
}

async function readMembers(tx: Tx, attemptId: string): Promise<(Member & { id: string; fencedAt: Date | null })[]> {
	const { id, rank, state, exit, reason: why, fencedAt } = instance;
	const rows = await tx
		.select({ id, rank, state, exit, reason: why, fencedAt })
		.from(instance)
		.where(eq(instance.attemptId, attemptId))
		.orderBy(asc(instance.rank));
	// A fenced machine has not ended, so no reason for its end is recorded yet.
	return rows.map((row) =>
		row.fencedAt !== null && row.reason === null ? { ...row, reason: reason("agent_silent", { fenced: true }) } : row,
	);
}
