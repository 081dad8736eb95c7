import type { Policy } from "#server/domain/policy.ts";
import { describeBudget, describeCap, describeOrder, describeShares, describeWeights } from "./describe-budget.ts";
import type { Segment } from "./describe-condition.ts";
import { describeRule } from "./describe-rule.ts";
import type { Description, RuleGroup } from "./description.ts";

/** The change of one rule, budget, cap, the shares or the weights. Sentences are those of describe-rule.ts. */
export interface PolicyChange {
	/** `moved`: the same entry in another position. The order determines which of several rules is named first. */
	kind: "added" | "removed" | "changed" | "moved";
	id: string;
	group: RuleGroup;
	/** Null for additions, or removals. */
	before: { line: number | null; sentence: Segment[] } | null;
	after: { line: number | null; sentence: Segment[] } | null;
}

/**
 * Differences in meaning between two policies, whatever changed in the text: spacing, comments and field order are
 * ignored. In the order of the newer policy, with removed entries last. Cost: n log n in the number of rules.
 */
export function diffPolicies(before: Policy, after: Policy): PolicyChange[] {
	const old = partsOf(before);
	const now = partsOf(after);
	const moved = outOfOrder(
		[...old.keys()].filter((key) => now.has(key)),
		[...now.keys()].filter((key) => old.has(key)),
	);
	const changes: PolicyChange[] = [];
	for (const [key, part] of now) {
		const was = old.get(key);
		if (!was) changes.push(changeOf("added", null, part));
		else if (was.meaning !== part.meaning) changes.push(changeOf("changed", was, part));
		else if (moved.has(key)) changes.push(changeOf("moved", was, part));
	}
	for (const [key, was] of old) if (!now.has(key)) changes.push(changeOf("removed", was, null));
	return changes;
}

interface Part {
	description: Description;
	/** Equal for parts that do the same. */
	meaning: string;
}

/** Rules may have the id of a budget, so the kind is part of the key. */
function partsOf(policy: Policy): Map<string, Part> {
	const parts = new Map<string, Part>();
	const add = (kind: string, value: object, description: Description): void => {
		parts.set(`${kind}:${description.id}`, { description, meaning: meaningOf(value) });
	};
	for (const rule of policy.rules) add("rule", rule, describeRule(rule));
	for (const budget of policy.budgets) add("budget", budget, describeBudget(budget));
	for (const cap of policy.caps) add("cap", cap, describeCap(cap));
	for (const shares of describeShares(policy.shares)) add("policy", policy.shares, shares);
	const { pointsPerGpuHour, ...costs } = policy.weights;
	for (const order of describeOrder(policy.weights)) add("policy", { pointsPerGpuHour }, order);
	add("policy", costs, describeWeights(policy.weights));
	return parts;
}

/** The value without its position in the text, money as text. */
function meaningOf(value: object): string {
	return JSON.stringify(value, (key, v: unknown) => (key === "line" ? undefined : typeof v === "bigint" ? `${v}` : v));
}

/** The fewest keys to move to turn one order into the other: all but a longest common subsequence. */
function outOfOrder(before: readonly string[], after: readonly string[]): Set<string> {
	const position = new Map(before.map((key, i) => [key, i]));
	const places = after.map((key) => position.get(key) ?? 0);
	// Patience: tails[k] is the index of the smallest end of an increasing run of length k + 1.
	const tails: number[] = [];
	const previous: number[] = [];
	for (const [i, place] of places.entries()) {
		let low = 0;
		for (let high = tails.length; low < high; ) {
			const middle = (low + high) >> 1;
			if ((places[tails[middle] ?? 0] ?? 0) < place) low = middle + 1;
			else high = middle;
		}
		previous[i] = low > 0 ? (tails[low - 1] ?? -1) : -1;
		tails[low] = i;
	}
	const stay = new Set<string>();
	for (let i = tails.at(-1) ?? -1; i >= 0; i = previous[i] ?? -1) stay.add(after[i] ?? "");
	return new Set(after.filter((key) => !stay.has(key)));
}

function changeOf(kind: PolicyChange["kind"], before: Part | null, after: Part | null): PolicyChange {
	const side = (part: Part | null) => part && { line: part.description.line, sentence: part.description.sentence };
	const { id, group } = (after ?? before)?.description ?? { id: "", group: "remove" as const };
	return { kind, id, group, before: side(before), after: side(after) };
}
