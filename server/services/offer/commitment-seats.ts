import { and, eq, ne, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "#server/db/client.ts";
import { instance } from "#server/db/schema/instance.ts";

/** The commitment that a machine was launched on. */
export const COMMITMENT_ID = sql<string | null>`${instance.offer}->>'commitmentId'`;

/** Machines that are not gone, by the commitment that they stand on. */
export async function takenSeats(db: DbOrTx): Promise<Map<string, number>> {
	const rows = await db
		.select({ id: COMMITMENT_ID, count: sql<number>`count(*)::int` })
		.from(instance)
		.where(and(eq(instance.capacityType, "reserved"), ne(instance.state, "terminated")))
		.groupBy(sql`1`);
	return new Map(rows.flatMap(({ id, count }) => (id === null ? [] : [[id, count] as const])));
}

/** Who places on a commitment and who changes the list come one after the other. */
export async function lockCommitments(tx: Tx): Promise<void> {
	await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('commitments', 0))`);
}
