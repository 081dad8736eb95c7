import type { CapacityKind } from "#components/place/place.tsx";
import type { Placement } from "#server/domain/capacity.ts";
import { CAPACITY_TYPES } from "#server/domain/vocabulary.ts";

/** Props of <Place> for a placement: site ID if owned, provider and region in a cloud. */
export type ShownPlace = { capacity: CapacityKind; provider: string; region: string | null };

export function shownPlace(placement: Pick<Placement, "capacityType" | "siteId" | "provider" | "region">): ShownPlace {
	return placement.capacityType === "owned"
		? { capacity: "owned", provider: placement.siteId, region: null }
		: { capacity: placement.capacityType, provider: placement.provider, region: placement.region };
}

/**
 * The location in an offer ID (`provider:region:zone|*:instanceType:capacityType`, plus the commitment ID for reserved
 * capacity); null if it does not parse.
 */
export function placeOfOfferId(offerId: unknown): (ShownPlace & { instanceType: string }) | null {
	if (typeof offerId !== "string") return null;
	const [provider, region, , instanceType, capacityType, ...more] = offerId.split(":");
	const capacity = CAPACITY_TYPES.find((type) => type === capacityType);
	if (!provider || !region || !instanceType || !capacity || more.length > (capacity === "reserved" ? 1 : 0)) return null;
	return { capacity, provider, region, instanceType };
}
