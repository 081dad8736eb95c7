import path from "node:path";
import { sql } from "drizzle-orm";
import { pool, site } from "#server/db/schema/site.ts";
import { defined } from "#server/kernel/assert.ts";
import { poolIdOf } from "#server/providers/kubernetes/pool-id.ts";
import { ownedRate } from "#server/rates/owned.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { seedRateCard } from "../sites.ts";
import { HALLS, type Hall, hallFolder } from "./halls.ts";

/** The company's owned clusters, with the shipped rate cards. Their addresses are those of this start. */
export async function seedHalls(
	ctx: ServiceContext,
	home: string,
	endpoints: Readonly<Record<Hall["id"], string | undefined>>,
): Promise<void> {
	for (const hall of HALLS) {
		const endpoint = endpoints[hall.id];
		if (endpoint === undefined) continue;
		const settings = settingsOf(hall, endpoint, hallFolder(home, hall.id));
		await ctx.db
			.insert(site)
			.values({ id: hall.id, name: hall.name, provider: "kubernetes", settings })
			.onConflictDoUpdate({ target: site.id, set: { settings: sql`${site.settings} || ${JSON.stringify(settings)}::jsonb` } });
		const rate = defined(ownedRate(hall.accelerator), `owned rate of ${hall.accelerator}`);
		const poolId = poolIdOf(hall.product, hall.gpusPerNode);
		await ctx.db
			.insert(pool)
			.values({
				...{ id: poolId, siteId: hall.id, accelerator: hall.accelerator, nodes: hall.nodes, gpusPerNode: hall.gpusPerNode },
				...{ unavailableSlots: [], microUsdPerGpuHour: rate.microUsdPerGpuHour, wattsPerGpu: Math.round(rate.wattsPerGpu) },
				ownedSince: new Date(ctx.clock.nowMs()),
			})
			.onConflictDoNothing();
		await seedRateCard(ctx, hall.accelerator, hall.nodes * hall.gpusPerNode, { siteId: hall.id, poolId });
	}
}

function settingsOf(hall: Hall, server: string, folder: string): Record<string, unknown> {
	const volume = path.join(folder, "volume");
	return {
		access: { server, tokenFile: path.join(folder, "token") },
		...{ namespace: "spillway", image: "busybox", accelerators: { [hall.product]: hall.accelerator }, gridZone: hall.gridZone },
		volume: { source: { hostPath: volume }, folder: volume, mountPath: volume },
	};
}
