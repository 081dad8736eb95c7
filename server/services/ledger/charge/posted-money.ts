import { and, eq, type SQL, sql } from "drizzle-orm";
import type { PostedMoney } from "#server/accounting/correct-pool.ts";
import type { Tx } from "#server/db/client.ts";
import { allocation } from "#server/db/schema/allocation.ts";
import { charge } from "#server/db/schema/charge.ts";

/**
 * Effective cost in the ledger by cause and quarter of an hour: no charge crosses an hour or a midnight, and midnight in every zone falls
 * on a quarter.
 */
export async function readPosted(tx: Tx, ...where: (SQL | undefined)[]): Promise<PostedMoney[]> {
	const quarter = sql`date_bin('15 minutes', ${charge.periodStart}, timestamptz '2000-01-01 00:00:00Z')`;
	const rows = await tx
		.select({
			causeId: sql<string>`coalesce(${charge.allocationId}, ${charge.instanceId}, ${charge.poolId})`,
			atMs: sql<string>`(extract(epoch from ${quarter}) * 1000)::bigint::text`,
			effective: sql<string>`sum(${charge.effectiveMicroUsd})::text`,
		})
		.from(charge)
		.leftJoin(allocation, eq(allocation.id, charge.allocationId))
		.where(and(...where))
		.groupBy(sql`1`, sql`2`);
	return rows.map((r) => ({ causeId: r.causeId, atMs: Number(r.atMs), effectiveMicroUsd: BigInt(r.effective) }));
}
