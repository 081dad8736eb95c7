import { and, eq } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { pool, site } from "#server/db/schema/site.ts";
import type { ClusterObservation } from "#server/providers/driver.ts";

/**
 * Writes size and health of a site's pools as the driver sees them; rate cards are not the driver's business. Answers
 * the pools that nobody has priced yet: they are not used.
 */
export async function writePools(db: Db, siteId: string, pools: ClusterObservation["pools"]): Promise<string[]> {
	const unpriced: ClusterObservation["pools"] = [];
	for (const p of pools) {
		const written = await db
			.update(pool)
			.set({ accelerator: p.accelerator, nodes: p.nodes, gpusPerNode: p.gpusPerNode, unavailableSlots: p.unavailableSlots })
			.where(and(eq(pool.siteId, siteId), eq(pool.id, p.id)))
			.returning({ id: pool.id });
		if (written.length === 0) unpriced.push(p);
	}
	const seen = unpriced.map(({ id, accelerator, nodes, gpusPerNode }) => ({ id, accelerator, nodes, gpusPerNode }));
	await db.update(site).set({ unpricedPools: seen }).where(eq(site.id, siteId));
	return unpriced.map((p) => p.id);
}
