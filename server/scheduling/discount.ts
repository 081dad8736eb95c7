import type { Offer } from "#server/domain/capacity.ts";
import { mulDivCeil } from "#server/kernel/money.ts";
import { matchesFamily, matchesRegion } from "#server/policy/match-pattern.ts";

/** A company's discount at a cloud, relative to the provider's price. */
export interface Discount {
	id: string;
	siteId: string;
	capacityType: "on_demand" | "spot";
	/** Patterns on the instance type, as in a policy; empty: every type. */
	instanceFamilies: readonly string[];
	/** Patterns on `provider:region`; empty: every region. */
	regions: readonly string[];
	/** Millionths of the price, 1 to 999,999. */
	partsPerMillion: number;
	/** Its source document: a contract, an email, an agreement's number. */
	source: string;
	fromMs: number;
	/** null: no agreed end. */
	toMs: number | null;
}

const WHOLE = 1_000_000n;

/** A price minus its discount, rounded up to the micro-dollar, so never less than what will be paid. */
export function discounted(microUsd: bigint, partsPerMillion: number): bigint {
	return mulDivCeil(microUsd, WHOLE - BigInt(partsPerMillion), WHOLE);
}

/** Discounts in effect at an instant. */
export function discountsAt(discounts: readonly Discount[], atMs: number): Discount[] {
	return discounts.filter((d) => d.fromMs <= atMs && (d.toMs === null || atMs < d.toMs));
}

type Priced = Pick<Offer, "siteId" | "provider" | "region" | "instanceType">;

/** The discount that applies to a machine. Discounts are not added up: the largest applies (ties: the first by id). */
export function discountOf(discounts: readonly Discount[], machine: Priced, capacityType: Discount["capacityType"]): Discount | null {
	let best: Discount | null = null;
	for (const d of discounts) {
		if (d.siteId !== machine.siteId || d.capacityType !== capacityType) continue;
		if (d.regions.length > 0 && !d.regions.some((pattern) => matchesRegion(pattern, machine))) continue;
		if (d.instanceFamilies.length > 0 && !d.instanceFamilies.some((pattern) => matchesFamily(pattern, machine))) continue;
		const isBetter =
			best === null || d.partsPerMillion > best.partsPerMillion || (d.partsPerMillion === best.partsPerMillion && d.id < best.id);
		if (isBetter) best = d;
	}
	return best;
}

/**
 * Offers at contract prices; their on-demand list price is kept. An offer without a discount is returned as the same object. Reserved
 * capacity is already paid for and has no discount.
 * @param inForce from discountsAt
 */
export function discountOffers(offers: readonly Offer[], inForce: readonly Discount[]): Offer[] {
	if (inForce.length === 0) return [...offers];
	return offers.map((offer) => {
		if (offer.capacityType === "reserved") return offer;
		const onDemand = discountOf(inForce, offer, "on_demand");
		const own = offer.capacityType === "on_demand" ? onDemand : discountOf(inForce, offer, "spot");
		if (own === null && onDemand === null) return offer;
		const less = (price: bigint | null, by: Discount | null): bigint | null =>
			price === null || by === null ? price : discounted(price, by.partsPerMillion);
		const list = offer.onDemandMicroUsdPerHour ?? (offer.capacityType === "on_demand" ? offer.microUsdPerHour : null);
		return {
			...offer,
			microUsdPerHour: less(offer.microUsdPerHour, own),
			onDemandMicroUsdPerHour: less(offer.onDemandMicroUsdPerHour, onDemand),
			...(list !== null && { listMicroUsdPerHour: list }),
			...(own && { discount: { id: own.id, partsPerMillion: own.partsPerMillion, source: own.source } }),
		};
	});
}
