import type { RemovalCode } from "#server/domain/decision.ts";
import { isCloudProvider } from "#server/domain/vocabulary.ts";
import { matchesFamily, matchesRegion } from "./match-pattern.ts";
import type { JudgePlace, Place, PlaceFilter } from "./types.ts";

type Removal = { why: RemovalCode; facts: Record<string, string | null> };

/**
 * The first filter that excludes the place, in the order of the policy. A denial excludes everything in any of its lists.
 * Allowances and requirements cover cloud offers, which must fit every list; only a list of sites includes home too.
 */
export const judgePlace: JudgePlace = (verdict, place) => {
	for (const filter of verdict.filters) {
		const removal = removedBy(filter, place);
		if (!removal) continue;
		const facts = filter.conditionError === undefined ? removal.facts : { ...removal.facts, conditionError: filter.conditionError };
		return { ruleId: filter.ruleId, why: removal.why, facts };
	}
	return null;
};

function removedBy(filter: PlaceFilter, place: Place): Removal | null {
	if (filter.kind !== "require_capacity_type") return filter.kind === "deny" ? deniedBy(filter, place) : notAllowedBy(filter, place);
	if (!isCloudProvider(place.provider) || place.capacityType === filter.capacityType) return null;
	return { why: "capacity_type_required", facts: { capacityType: place.capacityType, required: filter.capacityType } };
}

type Lists = Extract<PlaceFilter, { kind: "deny" | "allow" }>;

function deniedBy(lists: Lists, place: Place): Removal | null {
	const site = lists.sites.find((entry) => isSite(entry, place));
	if (site !== undefined) return { why: "site_denied", facts: { site: place.siteId, denied: site } };
	const region = lists.regions.find((pattern) => matchesRegion(pattern, place));
	if (region !== undefined) return { why: "region_denied", facts: { region: regionOf(place), denied: region } };
	const family = lists.instanceFamilies.find((pattern) => matchesFamily(pattern, place));
	if (family !== undefined) return { why: "family_denied", facts: { instanceType: place.instanceType, denied: family } };
	if (lists.capacityTypes.includes(place.capacityType)) {
		return { why: "capacity_type_denied", facts: { capacityType: place.capacityType, denied: place.capacityType } };
	}
	return null;
}

function notAllowedBy(lists: Lists, place: Place): Removal | null {
	if (lists.sites.length > 0 && !lists.sites.some((entry) => isSite(entry, place))) {
		return { why: "site_not_allowed", facts: { site: place.siteId, allowed: lists.sites.join(", ") } };
	}
	if (!isCloudProvider(place.provider)) return null;
	if (lists.regions.length > 0 && !lists.regions.some((pattern) => matchesRegion(pattern, place))) {
		return { why: "region_not_allowed", facts: { region: regionOf(place), allowed: lists.regions.join(", ") } };
	}
	if (lists.instanceFamilies.length > 0 && !lists.instanceFamilies.some((pattern) => matchesFamily(pattern, place))) {
		return { why: "family_not_allowed", facts: { instanceType: place.instanceType, allowed: lists.instanceFamilies.join(", ") } };
	}
	if (lists.capacityTypes.length > 0 && !lists.capacityTypes.includes(place.capacityType)) {
		return { why: "capacity_type_denied", facts: { capacityType: place.capacityType, allowed: lists.capacityTypes.join(", ") } };
	}
	return null;
}

/** `cloud` and `owned` mean every site of their kind; anything else is the id of a site. */
function isSite(entry: string, place: Place): boolean {
	if (entry === "cloud") return isCloudProvider(place.provider);
	if (entry === "owned") return !isCloudProvider(place.provider);
	return entry === place.siteId;
}

function regionOf(place: Place): string | null {
	return place.region === null ? null : `${place.provider}:${place.region}`;
}
