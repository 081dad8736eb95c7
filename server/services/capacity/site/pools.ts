import { isDeepStrictEqual } from "node:util";
import { and, eq } from "drizzle-orm";
import { pool, site } from "#server/db/schema/site.ts";
import type { ClusterObservation } from "#server/providers/driver.ts";
import type { LedgerContext } from "#server/services/ledger/charge/context.ts";
import { meterPoolUntilNow } from "#server/services/ledger/charge/meter-pools.ts";

/**
 * Writes size and health of a site's pools as reported by the driver; rate cards are separate. Returns the pools without a price: they are
 * not used.
 */
export async function writePools(ctx: LedgerContext, siteId: string, pools: ClusterObservation["pools"]): Promise<string[]> {
	const { db } = ctx;
	const stored = await db
		.select({ pool, unpricedPools: site.unpricedPools })
		.from(site)
		.leftJoin(pool, eq(pool.siteId, site.id))
		.where(eq(site.id, siteId));
	const known = new Map(stored.flatMap(({ pool: row }) => (row ? [[row.id, row] as const] : [])));
	for (const { id, accelerator, nodes, gpusPerNode, unavailableSlots, nodesToCome = 0, noneComes = false } of pools) {
		const row = known.get(id);
		if (!row) continue;
		// Idle time up to now belongs to the nodes that existed.
		if (row.nodes - row.nodesToCome !== nodes - nodesToCome) await meterPoolUntilNow(ctx, { siteId, poolId: id });
		const now = { accelerator, nodes, nodesToCome, noneComes, gpusPerNode, unavailableSlots };
		if (isDeepStrictEqual({ ...row, ...now }, row)) continue;
		await db
			.update(pool)
			.set(now)
			.where(and(eq(pool.siteId, siteId), eq(pool.id, id)));
	}
	const unpriced = pools.filter(({ id }) => !known.has(id));
	const seen = unpriced.map(({ id, accelerator, nodes, gpusPerNode, nodesToCome = 0 }) => ({
		...{ id, accelerator, nodes, gpusPerNode, nodesToCome },
	}));
	if (!isDeepStrictEqual(stored[0]?.unpricedPools, seen)) await db.update(site).set({ unpricedPools: seen }).where(eq(site.id, siteId));
	return unpriced.map((p) => p.id);
}
