import { type MachineDisk, offerId } from "#server/domain/capacity.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import type { OfferObservation } from "../driver.ts";

/** An hourly price and its date. null: no valid price, and `source` contains the reason. */
export interface RatePrice {
	microUsdPerHour: bigint | null;
	asOf: string;
	source: string;
}

/** The part of a price list that the driver needs: one row for a type in a region or one of its zones. */
export interface ZoneRate {
	instanceType: string;
	region: string;
	zone: string | null;
	accelerator: string;
	gpus: number;
	vcpus: number;
	memoryGiB: number;
	onDemand: RatePrice;
	spot: RatePrice | null;
}

/** The hourly price of one TPU chip in a region, for chips that Compute Engine does not sell by the machine. */
export type ChipPrice = Pick<ZoneRate, "accelerator" | "region" | "onDemand" | "spot">;

export interface ZoneFacts {
	siteId: string;
	region: string;
	zone: string;
	rates: readonly ZoneRate[];
	/** The types that the zone currently has. */
	sold: readonly string[];
	nowMs: number;
	listPriceMaxAgeDays: number;
	spotPriceMaxAgeDays: number;
	/** GPU quotas of the region; undefined or null: unknown. */
	quotas?: readonly { metric: string; limit: number; usage: number }[] | null;
	/** The machine's disk by type; undefined if not needed. */
	disks?: ReadonlyMap<string, MachineDisk>;
}

/** The offers of a zone: a machine type is sold there or not, and its prices come from the list. Pure. */
export function offersOf(facts: ZoneFacts): OfferObservation[] {
	return [...new Set(facts.sold)].sort().flatMap((instanceType) => {
		const known = facts.rates.filter((rate) => rate.instanceType === instanceType);
		const [shape] = known;
		if (!shape) return [];
		const rate =
			known.find(({ zone }) => zone === facts.zone) ?? known.find(({ zone, region }) => zone === null && region === facts.region);
		const onDemand = rate?.onDemand ?? null;
		const offers = [offer(facts, shape, { capacityType: "on_demand", price: onDemand, onDemand, maxAgeDays: facts.listPriceMaxAgeDays })];
		const spot = rate?.spot ?? null;
		if (spot === null || !isCheaper(spot, onDemand)) return offers;
		offers.push(offer(facts, shape, { capacityType: "spot", price: spot, onDemand, maxAgeDays: facts.spotPriceMaxAgeDays }));
		return offers;
	});
}

/** If spot is not cheaper than on-demand, an interruption would bring no saving. */
function isCheaper(spot: RatePrice, onDemand: RatePrice | null): boolean {
	if (spot.microUsdPerHour === null) return true;
	const usual = onDemand?.microUsdPerHour ?? null;
	return usual === null || spot.microUsdPerHour < usual;
}

/** GPUs by their names in Google's regional quotas. Models that are missing here have no regional quota. */
const QUOTA_NAMES: Readonly<Record<string, string>> = {
	"A100-40GB": "NVIDIA_A100_GPUS",
	"A100-80GB": "NVIDIA_A100_80GB_GPUS",
	"L4-24GB": "NVIDIA_L4_GPUS",
};

/**
 * The quota on a model, on demand or as spot. A spot quota of 0 next to an on-demand quota is ambiguous: only a launch shows
 * whether spot then counts towards the on-demand quota.
 */
function quotaOf({ quotas }: ZoneFacts, accelerator: string, capacityType: Priced["capacityType"]): Pick<OfferObservation, "quota"> {
	const name = QUOTA_NAMES[accelerator];
	const named = (metric: string) => quotas?.find((q) => q.metric === metric);
	if (name === undefined) return {};
	const onDemand = named(name);
	const found = capacityType === "spot" ? named(`PREEMPTIBLE_${name}`) : onDemand;
	if (!found || (capacityType === "spot" && found.limit <= 0 && (onDemand?.limit ?? 0) > 0)) return {};
	return { quota: { name: found.metric, unit: "gpus", limit: found.limit, used: found.usage } };
}

interface Priced {
	capacityType: "on_demand" | "spot";
	price: RatePrice | null;
	onDemand: RatePrice | null;
	maxAgeDays: number;
}

/**
 * Compute Engine has no API for prices. The type was seen on sale now; a list price counts as seen now too, unless the list is
 * stale. The list's date is in the source.
 */
function offer(facts: ZoneFacts, shape: ZoneRate, { capacityType, price, onDemand, maxAgeDays }: Priced): OfferObservation {
	const { siteId, region, zone, nowMs } = facts;
	const { instanceType, accelerator, gpus, vcpus, memoryGiB } = shape;
	const disk = facts.disks?.get(instanceType);
	const asOfMs = price === null ? nowMs : Date.parse(price.asOf);
	const whole = {
		...{ siteId, provider: "gcp" as const, region, zone, instanceType, accelerator, gpus, vcpus, memoryGiB, capacityType },
		...(disk && { disk }),
		...quotaOf(facts, accelerator, capacityType),
		microUsdPerHour: price?.microUsdPerHour ?? null,
		onDemandMicroUsdPerHour: onDemand?.microUsdPerHour ?? null,
		priceObservedAtMs: nowMs - asOfMs > maxAgeDays * DAY_MS ? asOfMs : nowMs,
		priceSource: price === null ? `no list price in ${zone}` : `list price of ${price.asOf}: ${price.source}`,
	};
	return { ...whole, id: offerId(whole) };
}
