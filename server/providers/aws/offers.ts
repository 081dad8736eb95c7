import { type MachineDisk, offerId } from "#server/domain/capacity.ts";
import { microToUsdText, usdToMicro } from "#server/kernel/money.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import type { OfferObservation } from "../driver.ts";
import type { SnapshotRate } from "../snapshot-rate.ts";
import type { Ec2Offering, Ec2SpotPrice } from "./client.ts";
import { offerQuota, type QuotaFacts } from "./quotas.ts";

/** A spot price that differs from the snapshot's by this factor counts as an error, not as a bargain. */
const SPOT_FACTOR_MAX = 10n;
const SPOT_SOURCE = "EC2 DescribeSpotPriceHistory";

export interface RegionFacts {
	siteId: string;
	region: string;
	rates: readonly SnapshotRate[];
	offerings: readonly Ec2Offering[];
	spotPrices: readonly Ec2SpotPrice[];
	nowMs: number;
	listPriceMaxAgeDays: number;
	/** The disk of every machine launched there; undefined if not needed. */
	disk?: MachineDisk;
	/** Undefined or null: unknown. */
	quotas?: QuotaFacts | null;
}

/** The offers of a region: on-demand for the region, spot per zone. Pure. */
export function offersOf(facts: RegionFacts): OfferObservation[] {
	const types = [...new Set(facts.offerings.map((o) => o.InstanceType))].sort();
	return types.flatMap((instanceType) => {
		const known = facts.rates.filter((rate) => rate.instanceType === instanceType);
		const [shape] = known;
		if (!shape) return [];
		const here = known.filter((rate) => rate.region === facts.region);
		const onDemand = onDemandOffer(facts, shape, here[0] ?? null);
		return [onDemand, ...spotOffers(facts, shape, here, onDemand.microUsdPerHour)];
	});
}

/**
 * EC2 has no API for on-demand prices, so they come from a price list, live or shipped. The type was seen on sale now. The price
 * counts as seen now too, unless the list is stale; the list's date is in the source.
 */
function onDemandOffer(facts: RegionFacts, shape: SnapshotRate, rate: SnapshotRate | null): OfferObservation {
	const asOfMs = rate === null ? facts.nowMs : Date.parse(rate.onDemand.asOf);
	const stale = facts.nowMs - asOfMs > facts.listPriceMaxAgeDays * DAY_MS;
	const price = rate?.onDemand.microUsdPerHour ?? null;
	return offer(facts, shape, {
		zone: null,
		capacityType: "on_demand",
		microUsdPerHour: price,
		onDemandMicroUsdPerHour: price,
		priceObservedAtMs: stale ? asOfMs : facts.nowMs,
		priceSource: rate === null ? `no list price in ${facts.region}` : `list price of ${rate.onDemand.asOf}: ${rate.onDemand.source}`,
	});
}

function spotOffers(facts: RegionFacts, shape: SnapshotRate, here: readonly SnapshotRate[], onDemand: bigint | null): OfferObservation[] {
	const zones = facts.offerings.filter((o) => o.InstanceType === shape.instanceType).map((o) => o.Location);
	return [...new Set(zones)].sort().flatMap((zone) => {
		const newest = facts.spotPrices
			.filter((p) => p.InstanceType === shape.instanceType && p.AvailabilityZone === zone)
			.toSorted((a, b) => b.Timestamp.getTime() - a.Timestamp.getTime())[0];
		if (!newest) return [];
		const { price, refused } = readSpotPrice(newest.SpotPrice, here);
		// If spot is not cheaper than on-demand, there is no spare capacity, and an interruption would bring no saving.
		if (price !== null && onDemand !== null && price >= onDemand) return [];
		return offer(facts, shape, {
			zone,
			capacityType: "spot",
			microUsdPerHour: price,
			onDemandMicroUsdPerHour: onDemand,
			priceObservedAtMs: facts.nowMs,
			priceSource: refused === null ? SPOT_SOURCE : `${SPOT_SOURCE}: ${refused}`,
		});
	});
}

/** An implausible price is omitted with the reason; such an offer is shown and never chosen. */
export function readSpotPrice(text: string, here: readonly SnapshotRate[]): { price: bigint | null; refused: string | null } {
	const refuse = (why: string) => ({ price: null, refused: `the price ${JSON.stringify(text)} was refused: ${why}` });
	let price: bigint;
	try {
		price = usdToMicro(text);
	} catch {
		return refuse("it is not a dollar amount");
	}
	if (price <= 0n) return refuse("a price must be above zero");
	const known = here.flatMap((rate) => (rate.spot ? [rate.spot.microUsdPerHour] : []));
	const tooLow = known.length > 0 && known.every((k) => price * SPOT_FACTOR_MAX < k);
	const tooHigh = known.length > 0 && known.every((k) => price > k * SPOT_FACTOR_MAX);
	if (!tooLow && !tooHigh) return { price, refused: null };
	const usual = known.map(microToUsdText).join(", ");
	return refuse(`it is more than ${SPOT_FACTOR_MAX} times ${tooLow ? "below" : "above"} the snapshot's ($${usual})`);
}

type Priced = Pick<OfferObservation, "zone" | "microUsdPerHour" | "onDemandMicroUsdPerHour" | "priceObservedAtMs" | "priceSource"> & {
	capacityType: "on_demand" | "spot";
};

function offer(facts: RegionFacts, shape: SnapshotRate, priced: Priced): OfferObservation {
	const { siteId, region, disk, quotas } = facts;
	const { instanceType, accelerator, gpus, vcpus, memoryGiB } = shape;
	const whole = {
		siteId,
		provider: "aws" as const,
		region,
		instanceType,
		accelerator,
		gpus,
		vcpus,
		memoryGiB,
		...priced,
		...(disk && { disk }),
		...(quotas && offerQuota(quotas, instanceType, priced.capacityType)),
	};
	return { ...whole, id: offerId(whole) };
}
