import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Db, Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { allocation } from "#server/db/schema/allocation.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { job } from "#server/db/schema/job.ts";
import { site } from "#server/db/schema/site.ts";
import { reason } from "#server/domain/reasons.ts";
import { hasOwnQueue } from "#server/domain/vocabulary.ts";
import { recordEvents } from "#server/services/notification/event/record.ts";
import { lockJobOf } from "./lock-job.ts";

/** Records that the machine has started to fetch the job's data. Does nothing when the attempt is past that. */
export async function markStaging(tx: Tx, input: { attemptId: string; atMs: number }): Promise<void> {
	const at = new Date(input.atMs);
	await tx
		.update(attempt)
		.set({ state: "staging", stagingAt: at, lastHeardAt: at })
		.where(and(eq(attempt.id, input.attemptId), eq(attempt.state, "starting")));
}

/** GPUs granted by a site's own queue are held from `at` on, not from the request. Existing charges stay. */
export async function beginAllocation(tx: Tx, { attemptId, siteId }: { attemptId: string; siteId: string }, at: Date): Promise<void> {
	const [home] = await tx.select({ provider: site.provider, settings: site.settings }).from(site).where(eq(site.id, siteId));
	if (!home || !hasOwnQueue(home)) return;
	await tx
		.update(allocation)
		.set({ startedAt: at })
		.where(and(eq(allocation.attemptId, attemptId), isNull(allocation.meteredUntil)));
}

/** Records that the command runs: the attempt and its job become `running`. Does nothing when the attempt is past that. */
export async function markRunning(tx: Tx, input: { attemptId: string; atMs: number }): Promise<void> {
	const at = new Date(input.atMs);
	await lockJobOf(tx, input.attemptId);
	const [row] = await tx
		.update(attempt)
		.set({ state: "running", startedAt: at, lastHeardAt: at })
		.where(and(eq(attempt.id, input.attemptId), inArray(attempt.state, ["starting", "staging"])))
		.returning({ jobId: attempt.jobId, number: attempt.number, placement: attempt.placement });
	if (!row) return;
	await beginAllocation(tx, { attemptId: input.attemptId, siteId: row.placement.siteId }, at);
	const [moved] = await tx
		.update(job)
		.set({
			state: "running",
			startedAt: sql`coalesce(${job.startedAt}, ${at.toISOString()}::timestamptz)`,
			reason: reason("started", { attempt: row.number }),
			forecast: null,
		})
		.where(and(eq(job.id, row.jobId), eq(job.state, "admitted")))
		.returning({ team: job.team });
	if (!moved) return;
	await recordEvents(tx, [{ kind: "job_started", atMs: input.atMs, jobId: row.jobId, team: moved.team }]);
	await notify(tx, { changes: [{ topic: "job", id: row.jobId, team: moved.team }] });
}

/** Records that the site accepted the attempt. */
export async function recordHandOver(db: Db, attemptId: string, atMs: number): Promise<void> {
	await db
		.update(attempt)
		.set({ handedOverAt: new Date(atMs) })
		.where(eq(attempt.id, attemptId));
}
