import { pool, site } from "#server/db/schema/site.ts";
import type { Env } from "#server/env.ts";
import { assert } from "#server/kernel/assert.ts";
import { assertLocalSiteAllowed } from "#server/providers/local/settings.ts";
import { ACCELERATOR_NAMES } from "#server/rates/accelerators.ts";
import { ownedRate } from "#server/rates/owned.ts";
import type { ServiceContext } from "#server/services/context.ts";

/** `local`, this host's slots, priced by the shipped rate card; and `aws`, the account behind the EC2 endpoint. */
export async function seedSites(
	ctx: ServiceContext,
	settings: Pick<
		Env,
		"SPILLWAY_HOST" | "SPILLWAY_LOCAL_ACCELERATOR" | "SPILLWAY_LOCAL_SLOTS" | "SPILLWAY_AWS_REGIONS" | "SPILLWAY_AWS_IMAGE_ID"
	>,
): Promise<void> {
	assertLocalSiteAllowed(settings.SPILLWAY_HOST);
	const accelerator = ACCELERATOR_NAMES.find((name) => name === settings.SPILLWAY_LOCAL_ACCELERATOR);
	assert(accelerator, `SPILLWAY_LOCAL_ACCELERATOR is "${settings.SPILLWAY_LOCAL_ACCELERATOR}"; known: ${ACCELERATOR_NAMES.join(", ")}`);
	const rate = ownedRate(accelerator);
	assert(rate, `the rate card has no price for ${accelerator}; choose another SPILLWAY_LOCAL_ACCELERATOR`);
	const now = new Date(ctx.clock.nowMs());
	await ctx.db
		.insert(site)
		.values([
			{ id: "local", name: "This host", provider: "local", settings: { gridZone: "DE", pue: rate.pue } },
			{
				id: "aws",
				name: "AWS, emulated",
				provider: "aws",
				settings: { regions: settings.SPILLWAY_AWS_REGIONS, imageId: settings.SPILLWAY_AWS_IMAGE_ID },
			},
		])
		.onConflictDoNothing();
	await ctx.db
		.insert(pool)
		.values({
			id: "local",
			siteId: "local",
			accelerator,
			nodes: 1,
			gpusPerNode: settings.SPILLWAY_LOCAL_SLOTS,
			unavailableSlots: [],
			microUsdPerGpuHour: rate.microUsdPerGpuHour,
			wattsPerGpu: Math.round(rate.wattsPerGpu),
			ownedSince: now,
		})
		.onConflictDoUpdate({ target: [pool.siteId, pool.id], set: { gpusPerNode: settings.SPILLWAY_LOCAL_SLOTS } });
}
