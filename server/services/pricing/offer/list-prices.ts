import { eq } from "drizzle-orm";
import { billingTermsOf } from "#server/accounting/billing-terms.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { offer } from "#server/db/schema/offer.ts";
import { site } from "#server/db/schema/site.ts";
import type { Offer } from "#server/domain/capacity.ts";
import { gpuSubnetworksIn, gpuSubnetworksSchema } from "#server/domain/interconnect.ts";
import { isCloudProvider, type Provider } from "#server/domain/vocabulary.ts";
import { assert } from "#server/kernel/assert.ts";
import { gridIntensity } from "#server/rates/carbon.ts";
import { egressMicroUsdPerGiB } from "#server/rates/egress.ts";
import type { RatedProvider } from "#server/rates/offers.ts";
import { fromStoredDisk } from "./stored-offer.ts";

/** Offers of the enabled, healthy sites at the providers' list prices, with the egress price and grid intensity of their region. */
export async function listListPrices(db: DbOrTx): Promise<Offer[]> {
	const rows = await db
		.select({ offer, healthy: site.healthy, enabled: site.enabled, settings: site.settings })
		.from(offer)
		.innerJoin(site, eq(site.id, offer.siteId));
	return rows.filter((r) => r.enabled && r.healthy).map((r) => toOffer(r.offer, r.settings));
}

function toOffer(row: typeof offer.$inferSelect, settings: Record<string, unknown>): Offer {
	const provider = cloudOf(row.provider);
	const grid = gridIntensity(provider, row.region);
	const gpuSubnetworks = gpuSubnetworksIn(row.region, gpuSubnetworksSchema.safeParse(settings["gpuSubnetworks"]).data ?? []).length;
	return {
		id: row.id,
		siteId: row.siteId,
		provider: row.provider,
		region: row.region,
		zone: row.zone,
		instanceType: row.instanceType,
		accelerator: row.accelerator,
		gpus: row.gpus,
		vcpus: row.vcpus,
		memoryGiB: row.memoryGiB,
		capacityType: row.capacityType === "owned" ? "on_demand" : row.capacityType,
		microUsdPerHour: row.microUsdPerHour,
		onDemandMicroUsdPerHour: row.onDemandMicroUsdPerHour,
		priceObservedAtMs: row.priceObservedAt.getTime(),
		priceSource: row.priceSource,
		backoffUntilMs: row.backoffUntil?.getTime() ?? null,
		backoffReason: row.backoffReason,
		egressMicroUsdPerGiB: egressMicroUsdPerGiB(provider, row.region),
		gridGramsPerKwh: grid?.gramsPerKwh ?? null,
		pue: grid?.pue ?? null,
		billedMinimumMs: billingTermsOf(provider).minimumMs,
		// The loop launches the machines of a gang in one zone and releases all of them when one is unavailable. Within a region's
		// subnet, machines of any of these clouds can reach each other.
		gangs: true,
		...(gpuSubnetworks > 0 && { gpuSubnetworks }),
		...(row.quota && { quota: row.quota }),
		...(row.disk && { disk: fromStoredDisk(row.disk) }),
	};
}

function cloudOf(provider: Provider): RatedProvider {
	assert(isCloudProvider(provider), `${provider} sells no offers`);
	return provider as RatedProvider;
}
