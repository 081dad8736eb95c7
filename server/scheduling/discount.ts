import type { Offer } from "#server/domain/capacity.ts";
import { mulDivCeil } from "#server/kernel/money.ts";
import { matchesFamily, matchesRegion } from "#server/policy/match-pattern.ts";

/** A company's discount at a cloud, relative to the provider's price. */
export interface Discount {
	id: string;
	siteId: string;
	capacityType: "on_demand" | "spot";
	/** Patterns on the instance type, as a policy has them; empty: every type. */
	instanceFamilies: readonly string[];
	/** Patterns on `provider:region`; empty: every region. */
	regions: readonly string[];
	/** Millionths of the price, 1 to 999,999. */
	partsPerMillion: number;
	/** Where it is written: a contract, an e-mail, an agreement's number. */
	source: string;
	fromMs: number;
	/** null: no end is agreed. */
	toMs: number | null;
}

const WHOLE = 1_000_000n;

/** A price less its discount, rounded up to the micro-dollar: never less than what will be paid. */
export function discounted(microUsd: bigint, partsPerMillion: number): bigint {
	return mulDivCeil(microUsd, WHOLE - BigInt(partsPerMillion), WHOLE);
}

/** Those that count at an instant. */
export function discountsAt(discounts: readonly Discount[], atMs: number): Discount[] {
	return discounts.filter((d) => d.fromMs <= atMs && (d.toMs === null || atMs < d.toMs));
}

type Priced = Pick<Offer, "siteId" | "provider" | "region" | "instanceType">;

/** The one that counts for a machine: discounts are not added up, the largest holds (of equal ones the first by id). */
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
 * Offers at contract prices; their on-demand list price is kept. An offer without an agreed price is the same object. Reserved
 * capacity is already paid for and has no discount.
 * @param inForce of discountsAt
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
