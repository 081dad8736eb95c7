import type { Offer } from "#server/domain/capacity.ts";
import type { RemovalCode } from "#server/domain/decision.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { Policy, RuleEffect } from "#server/domain/policy.ts";
import type { Reason } from "#server/domain/reasons.ts";
import type { CapacityType, Provider } from "#server/domain/vocabulary.ts";
import { evaluateExpression } from "./expression.ts";
import { JobFacts } from "./job-facts.ts";
import { judgeJob } from "./judge-job.ts";
import { judgePlace } from "./judge-place.ts";
import { judgeQuote } from "./judge-quote.ts";
import type { Place } from "./types.ts";

/** A place that meets the job's hardware requirements; home has no offer. */
export interface TriedPlace {
	place: Place;
	/** null at home. */
	offer: Offer | null;
	/** Cost of the job there for its estimated time, USD; null when unknown. */
	costUsd: number | null;
	/** USD; null at home, or without a price. */
	hourlyUsd: number | null;
}

export interface RuleTrial {
	ruleId: string;
	effect: RuleEffect["kind"];
	/** Whether its condition holds for the job; null: it cannot be evaluated, and the strict side is taken. */
	holds: boolean | null;
	conditionError: string | null;
	/** Cloud offers that could run the job. */
	offers: number;
	/** How many of them this rule excludes on its own; for an approval rule, how many require approval. */
	touched: number;
	/** Of these, how many another rule of the policy excludes too. */
	alsoByOthers: number;
	/** Places that remain after all rules together. */
	left: number;
	/** Sites at home that it excludes. */
	homeSites: string[];
	/** The affected offers, at most TRIED_SHOWN, cheapest first. */
	places: TriedOffer[];
}

export interface TriedOffer {
	siteId: string;
	provider: Provider;
	region: string | null;
	instanceType: string | null;
	capacityType: CapacityType;
	hourlyUsd: number | null;
	why: RemovalCode;
	facts: Reason["facts"];
	/** Another rule that excludes it too. */
	otherRuleId: string | null;
}

export const TRIED_SHOWN = 100;

/**
 * Effect of one rule on one job, alone and together with the others. Null when the policy has no such rule. Cost: one
 * evaluation per rule and two checks per place.
 */
export function tryRule(policy: Policy, ruleId: string, spec: JobSpec, places: readonly TriedPlace[]): RuleTrial | null {
	const rule = policy.rules.find((each) => each.id === ruleId);
	if (!rule) return null;
	const { effect } = rule;
	const usesQuote = effect.kind === "require" && effect.approval !== null;
	// An approval's condition may depend on the quote, which differs at every place.
	const { holds, error } = usesQuote ? { holds: null, error: null } : evaluateExpression(rule.when, { job: new JobFacts(spec) });
	const alone: Policy = { ...policy, rules: [rule], budgets: [], caps: [] };
	const others: Policy = { ...alone, rules: policy.rules.filter((each) => each !== rule) };
	const [own, rest] = [judgeJob(alone, spec), judgeJob(others, spec)];
	const touched: TriedOffer[] = [];
	const homeSites = new Set<string>();
	let [offers, left] = [0, 0];
	for (const tried of places) {
		const { place, offer } = tried;
		const removal = usesQuote ? asked(alone, spec, tried) : judgePlace(own, place);
		const other = judgePlace(rest, place);
		if (!offer) {
			if (removal && !usesQuote) homeSites.add(place.siteId);
			continue;
		}
		offers++;
		if (!other && (!removal || usesQuote)) left++;
		if (!removal) continue;
		const { siteId, provider, region, instanceType, capacityType } = place;
		const { why, facts } = removal;
		touched.push({
			...{ siteId, provider, region, instanceType, capacityType, hourlyUsd: tried.hourlyUsd, why, facts },
			otherRuleId: other?.ruleId ?? null,
		});
	}
	touched.sort((a, b) => (a.hourlyUsd ?? Number.POSITIVE_INFINITY) - (b.hourlyUsd ?? Number.POSITIVE_INFINITY));
	return {
		...{ ruleId, effect: effect.kind, conditionError: error },
		holds: usesQuote ? touched.length > 0 : holds,
		...{ offers, touched: touched.length, alsoByOthers: touched.filter((t) => t.otherRuleId !== null).length, left },
		...{ homeSites: [...homeSites].sort(), places: touched.slice(0, TRIED_SHOWN) },
	};
}

function asked(
	alone: Policy,
	spec: JobSpec,
	{ offer, costUsd, hourlyUsd }: TriedPlace,
): { why: RemovalCode; facts: Reason["facts"] } | null {
	if (!offer) return null;
	const ask = judgeQuote(alone, spec, { costUsd: costUsd ?? Number.NaN, hourlyUsd: hourlyUsd ?? Number.NaN, offer });
	return ask && { why: "approval_required", facts: { role: ask.role, costUsd: costUsd === null ? null : costUsd.toFixed(2) } };
}
