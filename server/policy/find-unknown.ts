import { isCloudProvider } from "#server/domain/vocabulary.ts";
import { nearestName, suggestName } from "#server/kernel/nearest-name.ts";
import type { Finding } from "./find-contradictions.ts";
import { judgePlace } from "./judge-place.ts";
import { matchesFamily, matchesRegion } from "./match-pattern.ts";
import type { PlacedRule, PlacedShare } from "./parse-entries.ts";
import { closesClouds, LIST_NAMES } from "./place-lists.ts";
import type { ParsePolicyOptions, Place, PlaceFilter } from "./types.ts";

/**
 * Names in the text that the installation does not have. Unknown teams and families are errors, because the rule would silently
 * apply to no jobs. Regions and offers come and go, so they are warnings.
 */
export function findUnknown(
	finding: Finding,
	shares: readonly PlacedShare[],
	{ teams, places, instanceTypes = [] }: ParsePolicyOptions,
): void {
	for (const { team, offset } of shares) {
		if (teams && !teams.includes(team)) finding.reader.report("error", offset, `There is no team "${team}".`, suggestName(team, teams));
	}
	const typeNames = [
		...new Set(instanceTypes.flatMap(({ provider, instanceType }) => (instanceType ? namesOf(provider, instanceType) : []))),
	];
	for (const placed of finding.rules) findUnknownFamilies(finding, placed, instanceTypes, typeNames);
	for (const { rule, offset } of finding.rules) {
		if (rule.effect.kind !== "adopt" || !teams || teams.includes(rule.effect.team)) continue;
		finding.reader.report("error", offset, `There is no team "${rule.effect.team}".`, suggestName(rule.effect.team, teams));
	}
	const seen = sightOf((places ?? []).filter((place) => isCloudProvider(place.provider)));
	if (seen.offers.length === 0) return;
	for (const placed of finding.rules) {
		findUnknownRegions(finding, placed, seen);
		if (closesClouds(placed.rule.effect) || !leavesNone(finding, [placed], seen)) continue;
		const message = `${placed.rule.id} excludes all ${seen.offers.length} cloud offers.`;
		finding.reader.report("warning", placed.offset, message, "Widen it; to keep its jobs at home, deny cloud.");
	}
	findNoneLeft(finding, seen);
}

/** The available offers, and those that differ in something a rule can name. */
interface Sight {
	offers: readonly Place[];
	/** One offer of each region. */
	regions: readonly Place[];
}

function sightOf(offers: readonly Place[]): Sight {
	return { offers, regions: [...new Map(offers.map((offer) => [regionOf(offer), offer])).values()] };
}

function regionOf({ provider, region }: Place): string {
	return `${provider}:${region ?? ""}`;
}

/** A pattern of an existing provider that matches none of its regions: most likely a typo. */
function findUnknownRegions({ reader, work }: Finding, { rule, offset }: PlacedRule, { regions }: Sight): void {
	if (rule.effect.kind !== "deny" && rule.effect.kind !== "allow") return;
	for (const pattern of rule.effect.regions) {
		const own = regions.filter((offer) => pattern.toLowerCase().startsWith(`${offer.provider}:`));
		const names = own.map(regionOf);
		if (reader.full || own.length === 0 || !work.affords([pattern], names)) continue;
		if (own.some((offer) => matchesRegion(pattern, offer)) || !work.affordsNearest(names)) continue;
		const near = nearestName(pattern, names);
		const fix = near === null ? null : `Did you mean ${near}?`;
		reader.report("warning", offset, `${rule.id} names ${pattern}, which matches no known region.`, fix);
	}
}

/** A family without types. Offers consist of these types only, so nothing else can be launched. */
function findUnknownFamilies(
	{ reader, work }: Finding,
	{ rule, offset }: PlacedRule,
	types: NonNullable<ParsePolicyOptions["instanceTypes"]>,
	typeNames: readonly string[],
): void {
	if (types.length === 0 || (rule.effect.kind !== "deny" && rule.effect.kind !== "allow")) return;
	for (const pattern of rule.effect.instanceFamilies) {
		if (reader.full || !work.affords([pattern], typeNames)) continue;
		if (types.some((type) => matchesFamily(pattern, type)) || !work.affordsNearest(typeNames)) continue;
		const families = typeNames.filter((name) => !name.includes("."));
		const fix = nearestName(pattern, typeNames) ? suggestName(pattern, typeNames) : suggestName(pattern, families);
		reader.report("error", offset, `${rule.id} names ${pattern}, which matches no instance type of the offers or the catalog.`, fix);
	}
}

/** The type itself, and on AWS its family. */
function namesOf(provider: Place["provider"], instanceType: string): string[] {
	const dot = provider === "aws" ? instanceType.indexOf(".") : -1;
	return dot < 0 ? [instanceType] : [instanceType.slice(0, dot), instanceType];
}

/** Rules that each leave some offer, but that together leave none although each holds for every job. */
function findNoneLeft(finding: Finding, seen: Sight): void {
	const { reader, logic, rules } = finding;
	const always = rules.filter((placed) => filterOf(placed) !== null && logic.always(placed.rule.when));
	const last = always.at(-1);
	if (!last || always.some((placed) => leavesNone(finding, [placed], seen)) || !leavesNone(finding, always, seen)) return;
	const names = always.map((placed) => placed.rule.id).join(", ");
	const message = `${names} together exclude all ${seen.offers.length} cloud offers: no job can burst.`;
	reader.report("warning", last.offset, message, "Widen one of them, or give it a condition.");
}

/** A "no" may also mean that it could not be determined. */
function leavesNone({ work }: Finding, rules: readonly PlacedRule[], { offers }: Sight): boolean {
	const filters = rules.flatMap((placed) => filterOf(placed) ?? []);
	const entries = filters.reduce((sum, filter) => sum + entriesOf(filter), 0);
	return filters.length > 0 && offers.every((offer) => work.affordsJudging(entries) && judgePlace({ filters }, offer) !== null);
}

function entriesOf(filter: PlaceFilter): number {
	return filter.kind === "require_capacity_type" ? 1 : LIST_NAMES.reduce((sum, list) => sum + filter[list].length, 0);
}

function filterOf({ rule: { id: ruleId, effect } }: PlacedRule): PlaceFilter | null {
	if (effect.kind === "deny" || effect.kind === "allow") return { ruleId, ...effect };
	if (effect.kind !== "require" || effect.capacityType === null) return null;
	return { ruleId, kind: "require_capacity_type", capacityType: effect.capacityType };
}
