import { type MachineDisk, offerId } from "#server/domain/capacity.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import type { OfferObservation } from "../driver.ts";

/** A price by the hour and the day for which it held. Null: there is none to believe, and `source` says why. */
export interface RatePrice {
	microUsdPerHour: bigint | null;
	asOf: string;
	source: string;
}

/** What the driver needs of a price list: one row for a type in a region or one of its zones. */
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

export interface ZoneFacts {
	siteId: string;
	region: string;
	zone: string;
	rates: readonly ZoneRate[];
	/** The types that the zone has now. */
	sold: readonly string[];
	nowMs: number;
	listPriceMaxAgeDays: number;
	spotPriceMaxAgeDays: number;
	/** Of the region on GPUs; absent or null: not known. */
	quotas?: readonly { metric: string; limit: number; usage: number }[] | null;
	/** By type, what a machine of it is launched with; absent where no one asks. */
	disks?: ReadonlyMap<string, MachineDisk>;
}

/** What can be bought in a zone: a machine type is sold there or not, and its prices are those of the list. Pure. */
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

/** Spot that costs as much as on-demand is not offered: no one should take an interruption for nothing. */
function isCheaper(spot: RatePrice, onDemand: RatePrice | null): boolean {
	if (spot.microUsdPerHour === null) return true;
	const usual = onDemand?.microUsdPerHour ?? null;
	return usual === null || spot.microUsdPerHour < usual;
}

/** How Google's regional quotas name the GPUs of machine types; quotas of models that are not here are not kept by region. */
const QUOTA_NAMES: Readonly<Record<string, string>> = {
	"A100-40GB": "NVIDIA_A100_GPUS",
	"A100-80GB": "NVIDIA_A100_80GB_GPUS",
	"L4-24GB": "NVIDIA_L4_GPUS",
};

/**
 * The quota on a model, on demand or as spot. A quota of 0 on spot says nothing where there is one on demand: a launch shows whether
 * spot then counts in that one.
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
 * Compute Engine itself names no prices. That the type is sold was seen now; a list price counts as seen now too, unless
 * the list is too old to be believed, and its date is in the source.
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
		priceSource: price === null ? `no list price is known in ${zone}` : `list price of ${price.asOf}: ${price.source}`,
	};
	return { ...whole, id: offerId(whole) };
}
