import type { Offer } from "#server/domain/capacity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { Policy, Rule } from "#server/domain/policy.ts";
import { evaluateExpression } from "#server/policy/expression.ts";
import { JobFacts } from "#server/policy/job-facts.ts";
import type { PrewarmEffect } from "./types.ts";

/** Whether the rule's machines are of the offer's kind. */
export function isOfKind(
	{ accelerator, gpusPerMachine, capacityType, sites }: PrewarmEffect,
	offer: Pick<Offer, "accelerator" | "gpus" | "capacityType" | "siteId">,
): boolean {
	if (offer.accelerator !== accelerator || offer.gpus !== gpusPerMachine) return false;
	return (capacityType === null || offer.capacityType === capacityType) && (sites.length === 0 || sites.includes(offer.siteId));
}

/** Whether the rule keeps machines for such jobs; not if its condition cannot be evaluated. */
export function isFor(rule: Pick<Rule, "when">, spec: JobSpec): boolean {
	return evaluateExpression(rule.when, { job: new JobFacts(spec) }).holds === true;
}

export interface LiveRule {
	id: string;
	when: Rule["when"];
	effect: PrewarmEffect;
}

/** The prewarm rules. */
export function liveRules({ rules }: Pick<Policy, "rules">): LiveRule[] {
	return rules.flatMap(({ id, when, effect }) => (effect.kind === "prewarm" ? [{ id, when, effect }] : []));
}
