import { medianOf } from "#server/domain/decide-alerts.ts";
import { microToUsdText } from "#server/kernel/money.ts";
import type { DatedRate } from "../snapshot-rate.ts";

/** A price that differs from its neighbors' by this factor counts as an error, not as a bargain. */
const FACTOR_MAX = 10n;

/** The hourly price of one Linux machine, as its provider currently lists it. */
export interface ListedPrice {
	instanceType: string;
	region: string;
	capacityType: "on_demand" | "spot";
	microUsdPerHour: bigint;
}

export interface LiveList {
	/** The list's display name. */
	source: string;
	prices: readonly ListedPrice[];
	/** YYYY-MM-DD, the day on which the list was read. */
	asOf: string;
}

/**
 * The shipped snapshot with its prices replaced by the live list's. An implausible live price is rejected: the snapshot's price stays,
 * and its source shows what was rejected and why. Pure.
 */
export function mergePrices(snapshot: readonly DatedRate[], live: LiveList): DatedRate[] {
	const known = new Map(snapshot.map((rate) => [placeOf(rate.instanceType, rate.region), rate]));
	const added = live.prices.flatMap((price) => {
		const shape = snapshot.find(({ instanceType }) => instanceType === price.instanceType);
		return shape && price.capacityType === "on_demand" && !known.has(placeOf(price.instanceType, price.region))
			? [{ ...shape, region: price.region, zone: null, spot: null, onDemand: { ...shape.onDemand, microUsdPerHour: 0n } }]
			: [];
	});
	return [...snapshot, ...added].flatMap((rate) => {
		const onDemand = priceOf(rate, "on_demand", snapshot, live);
		const spot = priceOf(rate, "spot", snapshot, live);
		// A region that is not in the snapshot has no price to fall back on.
		return onDemand === null ? [] : [{ ...rate, onDemand, spot }];
	});
}

function priceOf(
	rate: DatedRate,
	capacityType: ListedPrice["capacityType"],
	snapshot: readonly DatedRate[],
	live: LiveList,
): DatedRate["spot"] {
	const listed = capacityType === "spot" ? rate.spot : rate.onDemand;
	const fallback = listed !== null && listed.microUsdPerHour > 0n ? listed : null;
	const [found, ...others] = live.prices.filter((p) => p.capacityType === capacityType && isAt(p, rate));
	if (!found) return fallback;
	const refusal = ambiguityOf([found, ...others]) ?? refusalOf(found, snapshot, live);
	if (refusal === null) return { microUsdPerHour: found.microUsdPerHour, asOf: live.asOf, source: live.source };
	return fallback === null ? null : { ...fallback, source: `${fallback.source}; the price of ${live.source} was refused: ${refusal}` };
}

function ambiguityOf(prices: readonly ListedPrice[]): string | null {
	const different = [...new Set(prices.map((price) => microToUsdText(price.microUsdPerHour)))];
	return different.length === 1 ? null : `the list has it at ${different.map((usd) => `$${usd}`).join(" and ")}`;
}

/** Why a price is rejected, or null. Its neighbors are the same machine's prices in all regions, listed and shipped. */
function refusalOf(price: ListedPrice, snapshot: readonly DatedRate[], live: LiveList): string | null {
	const { instanceType, capacityType, microUsdPerHour } = price;
	const usd = microToUsdText(microUsdPerHour);
	if (microUsdPerHour <= 0n) return `$${usd} is not above zero`;
	const shipped = snapshot
		.filter((rate) => rate.instanceType === instanceType)
		.flatMap((rate) => (capacityType === "spot" ? (rate.spot ?? []) : rate.onDemand));
	const others = live.prices.filter((p) => p !== price && p.instanceType === instanceType && p.capacityType === capacityType);
	const neighbours = [...shipped, ...others].map((n) => n.microUsdPerHour).filter((n) => n > 0n);
	if (neighbours.length === 0) return null;
	const usual = medianOf(neighbours);
	const way = microUsdPerHour * FACTOR_MAX < usual ? "below" : microUsdPerHour > usual * FACTOR_MAX ? "above" : null;
	return way === null ? null : `$${usd} is more than ${FACTOR_MAX} times ${way} its neighbors' ($${microToUsdText(usual)})`;
}

function isAt(price: ListedPrice, rate: DatedRate): boolean {
	return price.region === rate.region && price.instanceType.toLowerCase() === rate.instanceType.toLowerCase();
}

function placeOf(instanceType: string, region: string): string {
	return `${region}/${instanceType}`.toLowerCase();
}
