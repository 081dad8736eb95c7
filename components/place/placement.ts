import type { CapacityKind } from "#components/place/place.tsx";
import type { Placement } from "#server/domain/capacity.ts";
import { CAPACITY_TYPES } from "#server/domain/vocabulary.ts";

/** What <Place> shows of a placement: the site's own id at home, provider and region in a cloud. */
export type ShownPlace = { capacity: CapacityKind; provider: string; region: string | null };

export function shownPlace(placement: Pick<Placement, "capacityType" | "siteId" | "provider" | "region">): ShownPlace {
	return placement.capacityType === "owned"
		? { capacity: "owned", provider: placement.siteId, region: null }
		: { capacity: placement.capacityType, provider: placement.provider, region: placement.region };
}

/**
 * The place that an offer's id names (`provider:region:zone|*:instanceType:capacityType`, and of reserved capacity the commitment's
 * id behind it); null when it is not of that form.
 */
export function placeOfOfferId(offerId: unknown): (ShownPlace & { instanceType: string }) | null {
	if (typeof offerId !== "string") return null;
	const [provider, region, , instanceType, capacityType, ...more] = offerId.split(":");
	const capacity = CAPACITY_TYPES.find((type) => type === capacityType);
	if (!provider || !region || !instanceType || !capacity || more.length > (capacity === "reserved" ? 1 : 0)) return null;
	return { capacity, provider, region, instanceType };
}
