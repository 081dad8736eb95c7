import { eq } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import type { ClusterWait } from "#server/domain/cluster-wait.ts";

/** Records why an attempt waits in the cluster if the reason changed, and notifies browsers. */
export async function noteWait(
	db: Db,
	row: { id: string; jobId: string; team: string; clusterWait: ClusterWait | null },
	wait: ClusterWait | null,
): Promise<void> {
	const before = row.clusterWait;
	if (before?.reason === wait?.reason && before?.detail === wait?.detail) return;
	await db.transaction(async (tx) => {
		await tx.update(attempt).set({ clusterWait: wait }).where(eq(attempt.id, row.id));
		await notify(tx, { changes: [{ topic: "job", id: row.jobId, team: row.team }] });
	});
}
