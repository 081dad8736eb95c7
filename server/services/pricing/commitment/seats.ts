import { and, eq, inArray, ne, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { LIVE_ATTEMPT_STATES } from "#server/domain/states.ts";

/** The commitment that a machine was launched on. */
export const COMMITMENT_ID = sql<string | null>`${instance.offer}->>'commitmentId'`;

/**
 * Seats in use by commitment: its existing machines, plus seats for work that stopped to move there, so that no other job
 * takes them meanwhile.
 */
export async function countTakenSeats(db: DbOrTx): Promise<Map<string, number>> {
	const machines = await db
		.select({ id: COMMITMENT_ID, count: sql<number>`count(*)::int` })
		.from(instance)
		.where(and(eq(instance.capacityType, "reserved"), ne(instance.state, "terminated")))
		.groupBy(sql`1`);
	const moving = await db
		.select({
			// The part after the capacity type in the id of such an offer.
			id: sql<string | null>`substring(${attempt.movingTo}->>'offerId' from ':reserved:(.+)$')`,
			count: sql<number>`sum((${job.spec}->>'nodes')::int)::int`,
		})
		.from(attempt)
		.innerJoin(job, eq(job.id, attempt.jobId))
		.where(and(inArray(attempt.state, [...LIVE_ATTEMPT_STATES]), sql`${attempt.movingTo}->>'kind' = 'cloud'`))
		.groupBy(sql`1`);
	const taken = new Map<string, number>();
	for (const { id, count } of [...machines, ...moving]) if (id !== null) taken.set(id, (taken.get(id) ?? 0) + count);
	return taken;
}

/** Serializes placements on a commitment and changes of the list. */
export async function lockCommitments(tx: Tx): Promise<void> {
	await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('commitments', 0))`);
}
