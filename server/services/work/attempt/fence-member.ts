import { eq } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { instance } from "#server/db/schema/instance.ts";
import { ofMember } from "#server/domain/gang.ts";
import type { Reason } from "#server/domain/reasons.ts";
import { writeSchedulerAudit } from "#server/services/core/audit.ts";
import { endMember } from "./end-member.ts";
import { requestStop } from "./request-stop.ts";

/**
 * Counts one machine's part of its attempt as ended although the machine was not seen to end: its lease has paused its command
 * (or it never began, where its agent never enrolled), and from now on its reports are rejected. The instance keeps its state,
 * is terminated and still charged. Must be called only when nothing was heard of it for longer than the lease that it reported.
 * `heardAtMs`: its last word as the caller knows it, null for none. Answers false, and changes nothing, when there was a later one, or
 * its part is over otherwise.
 */
export async function fenceMember(
	tx: Tx,
	input: { instanceId: string; attemptId: string; nodes: number; heardAtMs: number | null; reason: Reason; atMs: number },
): Promise<boolean> {
	const { instanceId, attemptId, atMs } = input;
	const [row] = await tx.select().from(instance).where(eq(instance.id, instanceId)).for("update");
	if (!row || row.state === "terminated" || row.fencedAt !== null || row.exit !== null) return false;
	if ((row.lastHeardAt?.getTime() ?? null) !== input.heardAtMs) return false;
	await tx
		.update(instance)
		.set({ fencedAt: new Date(atMs) })
		.where(eq(instance.id, instanceId));
	const why = ofMember(input.reason, row.rank, input.nodes);
	await requestStop(tx, { attemptId, reason: why, atMs });
	await writeSchedulerAudit(tx, { action: "instance.fence", subject: instanceId, after: why, atMs });
	await endMember(tx, { attemptId, instanceId, exit: null, atMs, fallback: why });
	return true;
}
