import { and, eq } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { pool } from "#server/db/schema/site.ts";
import type { ClusterObservation } from "#server/providers/driver.ts";

/** Writes size and health of a site's pools as the driver sees them; rate cards are not the driver's business. */
export async function writePools(db: Db, siteId: string, pools: ClusterObservation["pools"]): Promise<void> {
	for (const p of pools) {
		await db
			.update(pool)
			.set({ accelerator: p.accelerator, nodes: p.nodes, gpusPerNode: p.gpusPerNode, unavailableSlots: p.unavailableSlots })
			.where(and(eq(pool.siteId, siteId), eq(pool.id, p.id)));
	}
}
