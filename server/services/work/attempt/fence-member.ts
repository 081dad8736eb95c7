import { eq } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { instance } from "#server/db/schema/instance.ts";
import { ofMember } from "#server/domain/gang.ts";
import type { Reason } from "#server/domain/reasons.ts";
import { writeSchedulerAudit } from "#server/services/core/audit.ts";
import { endMember } from "./end-member.ts";
import { requestStop } from "./request-stop.ts";

/**
 * Counts one machine's part of its attempt as ended without seeing the machine end: its lease has paused its command (or it never began,
 * because its agent never enrolled), and its reports are rejected from now on. The instance keeps its state, is terminated and still
 * charged. Call it only when the machine has been silent for longer than the lease it reported. `heardAtMs`: its last heartbeat known to
 * the caller, null for none. Returns false and changes nothing when there was a later one, or when its part has already ended.
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
