import { type MachineDisk, offerId } from "#server/domain/capacity.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import type { OfferObservation } from "../driver.ts";
import type { DatedRate } from "../snapshot-rate.ts";
import type { AzureSku, CoreQuota } from "./client.ts";

export interface RegionFacts {
	siteId: string;
	region: string;
	rates: readonly DatedRate[];
	sizes: readonly AzureSku[];
	nowMs: number;
	listPriceMaxAgeDays: number;
	spotPriceMaxAgeDays: number;
	/** Undefined or null: unknown. */
	quotas?: readonly CoreQuota[] | null;
	/** The disk of every machine launched there; undefined if not needed. */
	disk?: MachineDisk;
}

/** The offers of a region, not per zone: Azure's prices are the same in all its zones. Pure. */
export function offersOf(facts: RegionFacts): OfferObservation[] {
	const sold = facts.sizes.filter((size) => isSold(size, facts.region)).sort((a, b) => (a.name < b.name ? -1 : 1));
	return sold.flatMap((size) => {
		const known = facts.rates.filter((rate) => rate.instanceType.toLowerCase() === size.name.toLowerCase());
		const here = known.find((rate) => rate.region === facts.region);
		const [shape] = here ? [here] : known;
		if (!shape) return [];
		const firm = quotaOf(facts, [size.family, "cores"]);
		const onDemand = { ...offer(facts, shape, "on_demand", here?.onDemand ?? null, here?.onDemand.microUsdPerHour ?? null), ...firm };
		if (!isSpotCapable(size)) return [onDemand];
		const spot = here?.spot ?? null;
		// If spot is not cheaper than on-demand, an eviction would bring no saving.
		if (spot !== null && here !== undefined && spot.microUsdPerHour >= here.onDemand.microUsdPerHour) return [onDemand];
		return [onDemand, { ...offer(facts, shape, "spot", spot, onDemand.microUsdPerHour), ...quotaOf(facts, ["lowPriorityCores"]) }];
	});
}

/** Of the quotas that apply to a machine, the one with the fewest free cores. */
function quotaOf({ quotas }: RegionFacts, keys: readonly (string | undefined)[]): Pick<OfferObservation, "quota"> {
	const known = (quotas ?? []).filter(({ key }) => keys.some((k) => k?.toLowerCase() === key));
	const [least] = known.toSorted((a, b) => a.limit - a.used - (b.limit - b.used));
	return least ? { quota: { name: least.name, unit: "cores", limit: least.limit, used: least.used } } : {};
}

/** Whether the size is available to this subscription. Azure restricts whole regions or single zones; one open zone is enough. */
function isSold(size: AzureSku, region: string): boolean {
	const place = size.locationInfo.find(({ location }) => location.toLowerCase() === region);
	if (!place || size.restrictions.some(({ type }) => type === "Location")) return false;
	return place.zones.length === 0 || openZones(size, region).length > 0;
}

/** The zones of a region, by Azure's numbers, in which the subscription may use this size; empty if the region has no zones. */
export function openZones({ locationInfo, restrictions }: AzureSku, region: string): string[] {
	const place = locationInfo.find(({ location }) => location.toLowerCase() === region);
	const closed = new Set(restrictions.flatMap(({ restrictionInfo }) => restrictionInfo.zones));
	return (place?.zones ?? []).filter((zone) => !closed.has(zone)).sort();
}

function isSpotCapable({ capabilities }: AzureSku): boolean {
	return capabilities.some(({ name, value }) => name === "LowPriorityCapable" && value.toLowerCase() === "true");
}

/**
 * Azure's compute API has no prices, so they come from a list. The size was seen on sale now. Its price counts as seen now too,
 * unless the list is stale; the list's date is in the source.
 */
function offer(
	facts: RegionFacts,
	shape: DatedRate,
	capacityType: "on_demand" | "spot",
	price: DatedRate["onDemand"] | null,
	onDemandMicroUsdPerHour: bigint | null,
): OfferObservation {
	const { siteId, region, nowMs } = facts;
	const maxAgeDays = capacityType === "spot" ? facts.spotPriceMaxAgeDays : facts.listPriceMaxAgeDays;
	const { instanceType, accelerator, gpus, vcpus, memoryGiB } = shape;
	const asOfMs = price === null ? nowMs : Date.parse(price.asOf);
	const whole = {
		siteId,
		provider: "azure" as const,
		region,
		zone: null,
		instanceType,
		accelerator,
		gpus,
		vcpus,
		memoryGiB,
		capacityType,
		...(facts.disk && { disk: facts.disk }),
		microUsdPerHour: price?.microUsdPerHour ?? null,
		onDemandMicroUsdPerHour,
		priceObservedAtMs: nowMs - asOfMs > maxAgeDays * DAY_MS ? asOfMs : nowMs,
		priceSource:
			price === null
				? `no ${capacityType === "spot" ? "spot" : "list"} price in ${region}`
				: `list price of ${price.asOf}: ${price.source}`,
	};
	return { ...whole, id: offerId(whole) };
}
