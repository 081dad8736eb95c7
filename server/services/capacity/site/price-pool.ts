import { and, eq } from "drizzle-orm";
import type { z } from "zod";
import { pricePoolInput } from "#server/contract/inputs/capacity.ts";
import { notify } from "#server/db/notify.ts";
import { pool, site } from "#server/db/schema/site.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { listAccelerators } from "#server/rates/accelerators.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import type { PoolKey } from "#server/services/pricing/owned/pool-cards.ts";
import { lockSite } from "./fetch.ts";

export type PricePoolInput = z.input<typeof pricePoolInput>;

export interface PricedPool {
	siteId: string;
	poolId: string;
	accelerator: string;
	nodes: number;
	gpusPerNode: number;
	microUsdPerGpuHour: string;
	wattsPerGpu: number;
}

/**
 * Puts a pool reported by a cluster's driver into use at a price: from then on jobs are placed there, and its idle time is charged. Its
 * size comes from the driver.
 * @throws SpillwayError `forbidden`, `not_found`, `conflict` when it already has a price, `invalid_input`; ZodError.
 */
export async function pricePool(ctx: ServiceContext, key: PoolKey, raw: PricePoolInput): Promise<PricedPool> {
	authorize(ctx, "site:manage", null);
	const input = pricePoolInput.parse(raw);
	return ctx.db.transaction(async (tx) => {
		const row = await lockSite(tx, key.siteId);
		const [known] = await tx
			.select({ id: pool.id })
			.from(pool)
			.where(and(eq(pool.siteId, key.siteId), eq(pool.id, key.poolId)));
		if (known) {
			throw new SpillwayError("conflict", `The pool "${key.poolId}" already has a price.`, {
				fix: `Set a rate card: spillway rates set ${key.siteId}/${key.poolId} -f card.yaml`,
			});
		}
		const seen = (row.unpricedPools ?? []).find((p) => p.id === key.poolId);
		if (!seen) {
			const others = (row.unpricedPools ?? []).map((p) => p.id).join(", ") || "none";
			throw new SpillwayError("not_found", `The site "${key.siteId}" has no unpriced pool "${key.poolId}".`, {
				fix: `Unpriced pools: ${others}. New pools appear once the site responds.`,
			});
		}
		const watts = input.wattsPerGpu ?? listAccelerators().find((a) => a.name === seen.accelerator)?.boardWatts;
		if (watts === undefined) {
			throw new SpillwayError("invalid_input", `The power of ${seen.accelerator} is unknown.`, {
				fields: [{ path: "wattsPerGpu", message: "is required for this accelerator" }],
			});
		}
		const microUsdPerGpuHour = usdToMicro(input.usdPerGpuHour);
		const wattsPerGpu = Math.round(watts);
		await tx.insert(pool).values({
			...{ id: seen.id, siteId: key.siteId, accelerator: seen.accelerator, nodes: seen.nodes, gpusPerNode: seen.gpusPerNode },
			nodesToCome: seen.nodesToCome ?? 0,
			// Until the driver reads it again, none of it counts as free.
			unavailableSlots: Array.from({ length: seen.nodes * seen.gpusPerNode }, (_, slot) => slot),
			...{ microUsdPerGpuHour, wattsPerGpu, ownedSince: new Date(ctx.clock.nowMs()) },
		});
		const rest = (row.unpricedPools ?? []).filter((p) => p.id !== seen.id);
		await tx.update(site).set({ unpricedPools: rest }).where(eq(site.id, key.siteId));
		const priced = {
			...{ siteId: key.siteId, poolId: seen.id, accelerator: seen.accelerator, nodes: seen.nodes, gpusPerNode: seen.gpusPerNode },
			...{ microUsdPerGpuHour: microUsdPerGpuHour.toString(), wattsPerGpu },
		};
		await writeAudit(tx, ctx, { action: "pool.price", subject: `${key.siteId}/${seen.id}`, after: priced });
		await notify(tx, { wake: true, changes: [{ topic: "site", id: key.siteId, team: null }] });
		return priced;
	});
}
