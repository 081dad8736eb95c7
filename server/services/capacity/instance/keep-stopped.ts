import { and, eq, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { writeSchedulerAudit } from "#server/services/core/audit.ts";

type Row = typeof instance.$inferSelect;

/**
 * Marks that a call to stop a prepared machine is about to be sent. From here until it is seen stopped it takes no job. Returns false if it
 * has a job, or is not kept any more.
 */
export async function markStopping(db: Db, row: Pick<Row, "id" | "stopCalledAt">, at: Date): Promise<boolean> {
	return db.transaction(async (tx) => {
		const marked = await tx
			.update(instance)
			.set({ stopCalledAt: row.stopCalledAt ?? at, lastCallAt: at })
			.where(and(eq(instance.id, row.id), isNull(instance.attemptId), isNull(instance.reason), eq(instance.state, "ready")))
			.returning({ id: instance.id });
		if (marked.length > 0 && row.stopCalledAt === null) {
			await writeSchedulerAudit(tx, { action: "instance.stop", subject: row.id, after: { keepStopped: true }, atMs: at.getTime() });
			await notify(tx, { changes: [{ topic: "instance", id: row.id, team: null }] });
		}
		return marked.length > 0;
	});
}

/** Records that the provider stopped the machine, once. Time that a meter has charged already stays as it was charged. */
export async function recordStopped(db: Db, instanceId: string, at: Date): Promise<void> {
	await db.transaction(async (tx) => {
		const written = await tx
			.update(instance)
			.set({ stoppedFrom: sql`greatest(${at.toISOString()}::timestamptz, ${instance.meteredUntil})` })
			.where(and(eq(instance.id, instanceId), isNotNull(instance.stopCalledAt), isNull(instance.stoppedFrom)))
			.returning({ id: instance.id });
		if (written.length > 0) await notify(tx, { wake: true, changes: [{ topic: "instance", id: instanceId, team: null }] });
	});
}

/**
 * Marks that a call to start a stopped machine for its job is about to be sent. It is charged as running from the first one on. Returns
 * false if its attempt was stopped.
 */
export async function markStarting(db: Db, row: Pick<Row, "id" | "startCalledAt">, at: Date): Promise<boolean> {
	return db.transaction(async (tx) => {
		const [machine] = await tx
			.select({ attemptId: instance.attemptId, meteredUntil: instance.meteredUntil })
			.from(instance)
			.where(and(eq(instance.id, row.id), eq(instance.state, "ready"), isNotNull(instance.stoppedFrom)))
			.for("update");
		if (!machine?.attemptId) return false;
		const isWanted = and(eq(attempt.id, machine.attemptId), isNull(attempt.stopRequestedAt), inArray(attempt.state, ["starting"]));
		if ((await tx.$count(attempt, isWanted)) === 0) return false;
		const startCalledAt = row.startCalledAt ?? new Date(Math.max(at.getTime(), machine.meteredUntil?.getTime() ?? 0));
		await tx.update(instance).set({ startCalledAt, lastCallAt: at }).where(eq(instance.id, row.id));
		if (row.startCalledAt === null) {
			await writeSchedulerAudit(tx, {
				...{ action: "instance.start", subject: row.id, atMs: at.getTime() },
				after: { attemptId: machine.attemptId },
			});
			await notify(tx, { changes: [{ topic: "instance", id: row.id, team: null }] });
		}
		return true;
	});
}
