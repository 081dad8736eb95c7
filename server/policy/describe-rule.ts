import type { Policy, Rule } from "#server/domain/policy.ts";
import { describeBudget, describeCap, describeOrder, describeShares, describeWeights } from "./describe-budget.ts";
import { describeCondition, words } from "./describe-condition.ts";
import { describeEffect } from "./describe-effect.ts";
import { type Description, RULE_GROUPS, type RuleGroup } from "./description.ts";
import { sentenceOf } from "./sentence.ts";

/** The whole policy, in the order of its groups and of its text within each. */
export function describePolicy(policy: Policy): Description[] {
	const all = [
		...policy.rules.map(describeRule),
		...describeShares(policy.shares),
		...describeOrder(policy.weights),
		...policy.budgets.map(describeBudget),
		...policy.caps.map(describeCap),
		describeWeights(policy.weights),
	];
	return RULE_GROUPS.flatMap((group) => all.filter((d) => d.group === group));
}

/** Joins a condition to its consequence, by group. */
const JOINTS: Readonly<Partial<Record<RuleGroup, string>>> = { limit: ": ", room: ": ", ask: ". " };

export function describeRule(rule: Rule): Description {
	const { group, parts } = describeEffect(rule.effect);
	const condition = rule.when === null || rule.when.trim() === "true" ? null : describeCondition(rule.when);
	const opening = group === "limit" || group === "room" ? [words("Where ")] : [];
	const lead = condition ? [...opening, ...condition, words(JOINTS[group] ?? ", and ")] : [];
	return { id: rule.id, line: rule.line, group, sentence: sentenceOf([...lead, ...parts]) };
}
