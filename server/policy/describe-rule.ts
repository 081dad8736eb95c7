import type { Policy, Rule } from "#server/domain/policy.ts";
import { describeBudget, describeCap, describeShares, describeWeights } from "./describe-budget.ts";
import { describeCondition, type Segment, words } from "./describe-condition.ts";
import { describeEffect } from "./describe-effect.ts";
import { sentenceOf } from "./sentence.ts";

export const RULE_GROUPS = ["remove", "ask", "burst", "room", "defer", "move", "limit", "prefer"] as const;
export type RuleGroup = (typeof RULE_GROUPS)[number];

/** The headings that the sentences of each group go on from. */
export const GROUP_HEADINGS: Readonly<Record<RuleGroup, string>> = {
	remove: "Remove a place when",
	ask: "Ask first when",
	burst: "Burst when",
	room: "Home, when it is full",
	defer: "Put a start off when",
	move: "Move a running job when",
	limit: "Limits",
	prefer: "Of the places that are left, prefer",
};

/** A rule, budget, cap, the shares or the weights as one English sentence. `id` and `line` lead back to the YAML. */
export interface Description {
	id: string;
	line: number | null;
	group: RuleGroup;
	sentence: Segment[];
}

/** The whole policy, in the order of its groups and of its text within each. */
export function describePolicy(policy: Policy): Description[] {
	const all = [
		...policy.rules.map(describeRule),
		...describeShares(policy.shares),
		...policy.budgets.map(describeBudget),
		...policy.caps.map(describeCap),
		describeWeights(policy.weights),
	];
	return RULE_GROUPS.flatMap((group) => all.filter((d) => d.group === group));
}

/** Between a condition and what follows from it, by group. */
const JOINTS: Readonly<Partial<Record<RuleGroup, string>>> = { limit: ": ", room: ": ", ask: ". " };

export function describeRule(rule: Rule): Description {
	const { group, parts } = describeEffect(rule.effect);
	const condition = rule.when === null || rule.when.trim() === "true" ? null : describeCondition(rule.when);
	const opening = group === "limit" || group === "room" ? [words("Where ")] : [];
	const lead = condition ? [...opening, ...condition, words(JOINTS[group] ?? ", and ")] : [];
	return { id: rule.id, line: rule.line, group, sentence: sentenceOf([...lead, ...parts]) };
}
