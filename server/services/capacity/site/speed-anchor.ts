import { eq } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { pool, site } from "#server/db/schema/site.ts";
import { resolveAlias } from "#server/rates/accelerators.ts";
import type { ThroughputView } from "#server/scheduling/throughput/types.ts";
import { poolSpeed } from "./pool-speed.ts";

/** Without owned GPUs, a machine of speed 1 is one of these: run-time estimates refer to it. */
const WITHOUT_POOLS: ThroughputView["anchor"] = { accelerator: "A100-80GB", speed: 1 };

/** The accelerator of the largest owned pool, with the pool's speed: people's estimates and stored work are relative to it. */
export async function readAnchor(db: DbOrTx): Promise<ThroughputView["anchor"]> {
	const rows = await db
		.select({ id: pool.id, accelerator: pool.accelerator, nodes: pool.nodes, gpusPerNode: pool.gpusPerNode, settings: site.settings })
		.from(pool)
		.innerJoin(site, eq(site.id, pool.siteId))
		.where(eq(site.enabled, true));
	const gpus = (row: (typeof rows)[number]): number => row.nodes * row.gpusPerNode;
	const [largest] = rows.toSorted((a, b) => gpus(b) - gpus(a) || (a.id < b.id ? -1 : 1));
	if (!largest) return WITHOUT_POOLS;
	return { accelerator: resolveAlias(largest.accelerator) ?? largest.accelerator, speed: poolSpeed(largest.settings, largest) };
}
