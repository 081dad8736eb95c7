import { eq, sql } from "drizzle-orm";
import { dayKey } from "#server/accounting/calendar.ts";
import { pool, site } from "#server/db/schema/site.ts";
import { EMULATED_RESOURCE_GROUP, EMULATED_SUBSCRIPTION } from "#server/emulators/azure/options.ts";
import { DEFAULT_ACCOUNT, DEFAULT_PROJECT } from "#server/emulators/gcp/options.ts";
import type { Env } from "#server/env.ts";
import { assert } from "#server/kernel/assert.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { assertLocalSiteAllowed, DEFAULT_SLOTS } from "#server/providers/local/settings.ts";
import { ACCELERATOR_NAMES, type AcceleratorName } from "#server/rates/accelerators.ts";
import { ownedRate } from "#server/rates/owned.ts";
import { defaultOwnedCard } from "#server/rates/owned-card.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { setRateCard } from "#server/services/ledger/rate-card/set.ts";
import { cardsOfPool } from "#server/services/pricing/owned/pool-cards.ts";

/**
 * `local`, this host's slots, priced by the shipped rate card; `aws`, the account behind the EC2 endpoint; and the
 * other emulated clouds.
 */
export async function seedSites(
	ctx: ServiceContext,
	settings: Pick<
		Env,
		| "SPILLWAY_HOST"
		| "SPILLWAY_LOCAL_ACCELERATOR"
		| "SPILLWAY_LOCAL_SLOTS"
		| "SPILLWAY_LOCAL_SPEED"
		| "SPILLWAY_AWS_REGIONS"
		| "SPILLWAY_AWS_IMAGE_ID"
		| "SPILLWAY_AZURE_ENDPOINT"
		| "SPILLWAY_GCP_ENDPOINT"
	>,
): Promise<void> {
	assertLocalSiteAllowed(settings.SPILLWAY_HOST);
	const accelerator = ACCELERATOR_NAMES.find((name) => name === settings.SPILLWAY_LOCAL_ACCELERATOR);
	assert(accelerator, `SPILLWAY_LOCAL_ACCELERATOR is "${settings.SPILLWAY_LOCAL_ACCELERATOR}"; known: ${ACCELERATOR_NAMES.join(", ")}`);
	const rate = ownedRate(accelerator);
	assert(rate, `the rate card has no price for ${accelerator}; choose another SPILLWAY_LOCAL_ACCELERATOR`);
	const slots = settings.SPILLWAY_LOCAL_SLOTS ?? DEFAULT_SLOTS;
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
			...(settings.SPILLWAY_AZURE_ENDPOINT ? [EMULATED_AZURE] : []),
			...(settings.SPILLWAY_GCP_ENDPOINT ? [EMULATED_GCP] : []),
		])
		.onConflictDoNothing();
	const speeds = JSON.stringify({ speeds: { local: settings.SPILLWAY_LOCAL_SPEED } });
	await ctx.db
		.update(site)
		.set({ settings: sql`${site.settings} || ${speeds}::jsonb` })
		.where(eq(site.id, "local"));
	await ctx.db
		.insert(pool)
		.values({
			id: "local",
			siteId: "local",
			accelerator,
			nodes: 1,
			gpusPerNode: slots,
			unavailableSlots: [],
			microUsdPerGpuHour: rate.microUsdPerGpuHour,
			wattsPerGpu: Math.round(rate.wattsPerGpu),
			ownedSince: now,
		})
		.onConflictDoUpdate({ target: [pool.siteId, pool.id], set: { gpusPerNode: slots } });
	await seedRateCard(ctx, accelerator, slots);
}

const AZURE_REGIONS = ["eastus", "westus2", "westeurope", "swedencentral"];
const AZURE_GROUP = `/subscriptions/${EMULATED_SUBSCRIPTION}/resourceGroups/${EMULATED_RESOURCE_GROUP}`;

const EMULATED_AZURE = {
	id: "azure",
	name: "Azure, emulated",
	provider: "azure" as const,
	settings: {
		subscriptionId: EMULATED_SUBSCRIPTION,
		resourceGroup: EMULATED_RESOURCE_GROUP,
		regions: AZURE_REGIONS,
		subnets: Object.fromEntries(
			AZURE_REGIONS.map((region) => [region, `${AZURE_GROUP}/providers/Microsoft.Network/virtualNetworks/${region}/subnets/default`]),
		),
	},
};

const EMULATED_GCP = {
	id: "gcp",
	name: "Google Cloud, emulated",
	provider: "gcp" as const,
	settings: {
		project: DEFAULT_PROJECT,
		regions: ["us-central1", "us-west1", "us-east4", "europe-west4"],
		image: "projects/deeplearning-platform-release/global/images/family/common-cu128-ubuntu-2204",
		// Google signs identity documents for machines that have a service account.
		serviceAccount: DEFAULT_ACCOUNT,
	},
};

/** How long before the demo its hardware came into service: the history must start after that. */
const IN_SERVICE_DAYS = 365;

/** The shipped card, marked where it is assumed, unless someone has set one. */
export async function seedRateCard(
	ctx: ServiceContext,
	accelerator: AcceleratorName,
	gpus: number,
	key = { siteId: "local", poolId: "local" },
): Promise<void> {
	if ((await cardsOfPool(ctx.db, key)).length > 0) return;
	const inServiceOn = dayKey(ctx.clock.nowMs() - IN_SERVICE_DAYS * DAY_MS, await ledgerCalendar(ctx.db));
	const made = defaultOwnedCard(accelerator, gpus, inServiceOn);
	if (made) await setRateCard(ctx, key, { effectiveFrom: inServiceOn, ...made });
}
