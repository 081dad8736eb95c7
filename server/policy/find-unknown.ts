import { isCloudProvider } from "#server/domain/vocabulary.ts";
import { didYouMean, nearestName } from "#server/kernel/nearest-name.ts";
import type { Finding } from "./find-contradictions.ts";
import { judgePlace } from "./judge-place.ts";
import { matchesFamily, matchesRegion } from "./match-pattern.ts";
import { closesClouds } from "./place-lists.ts";
import type { PlacedRule } from "./read-rule.ts";
import type { PlacedShare } from "./read-weights.ts";
import type { ParsePolicyOptions, Place, PlaceFilter } from "./types.ts";

/** What the text names and the installation does not have. Places and teams come and go: all of it is told, nothing refused. */
export function findUnknown(finding: Finding, shares: readonly PlacedShare[], { teams, places }: ParsePolicyOptions): void {
	for (const { team, offset } of shares) {
		if (teams && !teams.includes(team))
			finding.reader.report("warning", offset, `There is no team "${team}" yet.`, didYouMean(team, teams));
	}
	const offers = (places ?? []).filter((place) => isCloudProvider(place.provider));
	if (offers.length === 0) return;
	for (const placed of finding.rules) {
		findUnknownRegions(finding, placed, offers);
		findUnknownFamilies(finding, placed, offers);
		if (closesClouds(placed.rule.effect) || !leavesNone([placed], offers)) continue;
		const message = `${placed.rule.id} leaves none of the ${offers.length} cloud offers that there are.`;
		finding.reader.report("warning", placed.offset, message, "Widen it; to keep its jobs at home, deny cloud.");
	}
	findNoneLeft(finding, offers);
}

/** A pattern of a provider that is there, which fits none of its regions: most likely a slip. */
function findUnknownRegions({ reader }: Finding, { rule, offset }: PlacedRule, offers: readonly Place[]): void {
	if (rule.effect.kind !== "deny" && rule.effect.kind !== "allow") return;
	for (const pattern of rule.effect.regions) {
		const own = offers.filter((offer) => pattern.toLowerCase().startsWith(`${offer.provider}:`));
		if (own.length === 0 || own.some((offer) => matchesRegion(pattern, offer))) continue;
		const near = nearestName(pattern, [...new Set(own.map((offer) => `${offer.provider}:${offer.region ?? ""}`))]);
		const fix = near === null ? null : `Did you mean ${near}?`;
		reader.report("warning", offset, `${rule.id} names ${pattern}, which fits no region that there is.`, fix);
	}
}

/** Of shorter names nobody can say whether one was meant for another: p5 is no slip for g5. */
const NAME_LENGTH_MIN = 4;

/** A family that no offer is of, and whose name is nearly that of one. Others may come with a provider that is not there yet. */
function findUnknownFamilies({ reader }: Finding, { rule, offset }: PlacedRule, offers: readonly Place[]): void {
	if (rule.effect.kind !== "deny" && rule.effect.kind !== "allow") return;
	for (const pattern of rule.effect.instanceFamilies) {
		if (pattern.length < NAME_LENGTH_MIN || offers.some((offer) => matchesFamily(pattern, offer))) continue;
		const near = nearestName(pattern, [...new Set(offers.flatMap(({ instanceType }) => (instanceType ? namesOf(instanceType) : [])))]);
		if (near) reader.report("warning", offset, `${rule.id} names ${pattern}, which no offer is of.`, `Did you mean ${near}?`);
	}
}

/** The type itself, and on AWS its family. */
function namesOf(instanceType: string): string[] {
	const dot = instanceType.indexOf(".");
	return dot < 0 ? [instanceType] : [instanceType.slice(0, dot), instanceType];
}

/** Rules of which each leaves some offer, and all that hold for every job leave none. */
function findNoneLeft({ reader, logic, rules }: Finding, offers: readonly Place[]): void {
	const always = rules.filter((placed) => filterOf(placed) !== null && logic.always(placed.rule.when));
	const last = always.at(-1);
	if (!last || always.some((placed) => leavesNone([placed], offers)) || !leavesNone(always, offers)) return;
	const names = always.map((placed) => placed.rule.id).join(", ");
	const message = `Together ${names} leave none of the ${offers.length} cloud offers that there are: no job can burst.`;
	reader.report("warning", last.offset, message, "Widen one of them, or give it a condition.");
}

function leavesNone(rules: readonly PlacedRule[], offers: readonly Place[]): boolean {
	const filters = rules.flatMap((placed) => filterOf(placed) ?? []);
	return filters.length > 0 && offers.every((offer) => judgePlace({ filters }, offer) !== null);
}

function filterOf({ rule: { id: ruleId, effect } }: PlacedRule): PlaceFilter | null {
	if (effect.kind === "deny" || effect.kind === "allow") return { ruleId, ...effect };
	if (effect.kind !== "require" || effect.capacityType === null) return null;
	return { ruleId, kind: "require_capacity_type", capacityType: effect.capacityType };
}
