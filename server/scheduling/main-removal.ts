import { judgePlace } from "#server/policy/judge-place.ts";
import type { PlaceFilter } from "#server/policy/types.ts";
import type { OfferFit, RemovedGroup } from "./offers.ts";
import { compareNames, stageOf } from "./removal.ts";

/**
 * The main reason why offers are excluded. Offers that passed the most checks explain the most (removal.ts, stageOf). Among
 * equals it is the rule or fact that alone excludes the most offers. A rule that excludes nothing alone, because another one
 * excludes the same offers, is named last: lifting it would change nothing. Ties: the most offers excluded, then the names.
 * Cost: excluding rules × offers that only rules exclude.
 */
export function mainRemoval({ removed, barred }: OfferFit, filters: readonly PlaceFilter[]): RemovedGroup | null {
	const furthest = removed.reduce((max, { why }) => Math.max(max, stageOf(why)), -1);
	const rivals = removed.filter(({ why }) => stageOf(why) === furthest);
	if (rivals.length <= 1) return rivals[0] ?? null;
	const kept = barred();
	const backWithout = new Map<string | null, number>();
	for (const ruleId of new Set(rivals.map((group) => group.ruleId))) {
		if (ruleId === null) continue;
		const others = { filters: filters.filter((filter) => filter.ruleId !== ruleId) };
		backWithout.set(ruleId, kept.filter(({ place }) => judgePlace(others, place) === null).length);
	}
	// Offers excluded by a fact had passed every rule.
	const back = ({ ruleId, count }: RemovedGroup): number => backWithout.get(ruleId) ?? count;
	return rivals.toSorted((a, b) => back(b) - back(a) || b.count - a.count || compareNames(a, b))[0] ?? null;
}
