import { and, asc, desc, eq, inArray, isNull } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { adoption } from "#server/db/schema/adoption.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { isFinal, JOB_TRANSITIONS, LIVE_ATTEMPT_STATES } from "#server/domain/states.ts";

/** A live adoption of a site with the state of its Spillway job. */
export async function liveAdoptions(db: DbOrTx, siteId: string) {
	const rows = await db
		.select({ adoption, jobState: job.state, jobReason: job.reason })
		.from(adoption)
		.innerJoin(job, eq(job.id, adoption.jobId))
		.where(and(eq(adoption.siteId, siteId), isNull(adoption.endedAt)))
		.orderBy(asc(adoption.id));
	if (rows.length === 0) return [];
	const jobIds = rows.map((r) => r.adoption.jobId);
	const attempts = await db.select().from(attempt).where(inArray(attempt.jobId, jobIds)).orderBy(desc(attempt.number));
	return rows.map(({ adoption: row, jobState, jobReason }) => {
		const last = attempts.find((a) => a.jobId === row.jobId) ?? null;
		const live = last !== null && (LIVE_ATTEMPT_STATES as readonly string[]).includes(last.state);
		return { ...row, jobState, jobReason, jobIsOver: isFinal(JOB_TRANSITIONS, jobState), last, live };
	});
}
export type LiveAdoption = Awaited<ReturnType<typeof liveAdoptions>>[number];

/** Why the checkpoint folder of an attempt was not saved as its command left it; null when it was, or when this is unknown. */
export async function unkeptOf(db: DbOrTx, attemptId: string): Promise<string | null> {
	const members = await db.select({ exit: instance.exit }).from(instance).where(eq(instance.attemptId, attemptId));
	return members.find(({ exit }) => exit?.unkept)?.exit?.unkept ?? null;
}

/** The live adoptions of these Spillway jobs, by job. */
export async function adoptionsOf(db: DbOrTx, jobIds: readonly string[]): Promise<Map<string, typeof adoption.$inferSelect>> {
	if (jobIds.length === 0) return new Map();
	const rows = await db
		.select()
		.from(adoption)
		.where(and(inArray(adoption.jobId, [...jobIds]), isNull(adoption.endedAt)));
	return new Map(rows.map((row) => [row.jobId, row]));
}
