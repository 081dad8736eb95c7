import type { JobSpec } from "#server/domain/job.ts";
import type { Policy, Rule, RuleEffect } from "#server/domain/policy.ts";
import { evaluateExpression } from "./expression.ts";
import { JobFacts } from "./job-facts.ts";
import { matchesGlob } from "./match-pattern.ts";

/** Job fields available to the policy for a job of a cluster's own queue before its script is read. */
interface AdoptionFacts {
	siteId: string;
	partition: string;
	user: string;
	optedIn: boolean;
}

interface AdoptionRule {
	rule: Rule;
	effect: Extract<RuleEffect, { kind: "adopt" }>;
}

/** The rules that would allow its adoption, in the order of the policy, as far as its pool and owner show. */
export function adoptionRules({ rules }: Policy, { siteId, partition, user, optedIn }: AdoptionFacts): AdoptionRule[] {
	return rules.flatMap((rule) => {
		const { effect } = rule;
		if (effect.kind !== "adopt" || (effect.needsOptIn && !optedIn)) return [];
		if (effect.sites.length > 0 && !effect.sites.includes(siteId)) return [];
		// Slurm lists several partitions with commas: it may start in any of them, so all must be allowed.
		const here = partition.split(",").every((name) => isNamed(effect.partitions, name));
		return here && isNamed(effect.users, user) ? [{ rule, effect }] : [];
	});
}

/** Whether the rule's own condition holds for the job converted from the script. An error means no. */
export function canAdopt({ when }: Rule, spec: JobSpec): boolean {
	return evaluateExpression(when, { job: new JobFacts(spec) }).holds === true;
}

function isNamed(patterns: readonly string[], text: string): boolean {
	return patterns.length === 0 || patterns.some((pattern) => matchesGlob(pattern, text));
}
