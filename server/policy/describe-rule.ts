import type { BudgetRule, Policy, Rule, RuleEffect } from "#server/domain/policy.ts";
import { type CapacityType, LABELS } from "#server/domain/vocabulary.ts";
import { assertNever } from "#server/kernel/assert.ts";
import { microToUsdText } from "#server/kernel/money.ts";
import { formatDuration } from "#server/kernel/units.ts";
import { describeCondition, grouping, listed, type Segment, value, words } from "./describe-condition.ts";

export const RULE_GROUPS = ["remove", "ask", "burst", "limit", "prefer"] as const;
export type RuleGroup = (typeof RULE_GROUPS)[number];

/** The headings that the sentences of each group go on from. */
export const GROUP_HEADINGS: Readonly<Record<RuleGroup, string>> = {
	remove: "Remove a place when",
	ask: "Ask first when",
	burst: "Burst when",
	limit: "Limits",
	prefer: "Of the places that are left, prefer",
};

/** A rule, budget or weight as one English sentence. `id` and `line` lead back to the YAML. */
export interface Description {
	id: string;
	line: number | null;
	group: RuleGroup;
	sentence: Segment[];
}

/** The whole policy, in the order of its groups and of its text within each. */
export function describePolicy(policy: Policy): Description[] {
	const all = [...policy.rules.map(describeRule), ...policy.budgets.map(describeBudget), describeWeights(policy.weights)];
	return RULE_GROUPS.flatMap((group) => all.filter((d) => d.group === group));
}

export function describeRule(rule: Rule): Description {
	const { group, parts } = describeEffect(rule.effect);
	const condition = rule.when === null || rule.when.trim() === "true" ? null : describeCondition(rule.when);
	const joint = group === "limit" ? ": " : group === "ask" ? ". " : ", and ";
	const lead =
		group === "limit" && condition ? [words("Where "), ...condition, words(joint)] : condition ? [...condition, words(joint)] : [];
	return { id: rule.id, line: rule.line, group, sentence: sentenceOf([...lead, ...parts]) };
}

export function describeBudget(budget: BudgetRule): Description {
	const everybody = budget.scope.trim() === "true";
	const scope = everybody
		? [words("All cloud money together is at most ")]
		: [words("Where "), ...describeCondition(budget.scope), words(": cloud money is at most ")];
	const reaction = budget.atCap === "hold" ? "New bursts are held at the cap" : `At the cap: ${budget.atCap}`;
	return {
		id: budget.id,
		line: budget.line,
		group: "limit",
		sentence: sentenceOf([...scope, value(usd(budget.capMicroUsd)), words(" a "), value(budget.period), words(`. ${reaction}`)]),
	};
}

export function describeWeights(weights: Policy["weights"]): Description {
	const delay = weights.delayMicroUsdPerHour > 0n ? [words("an hour's delay counts as "), value(usd(weights.delayMicroUsdPerHour))] : [];
	const carbon =
		weights.carbonMicroUsdPerTonne > 0n ? [words("a tonne of CO2 counts as "), value(usd(weights.carbonMicroUsdPerTonne))] : [];
	const and = delay.length > 0 && carbon.length > 0 ? [words(" and ")] : [];
	const where = delay.length + carbon.length > 0 ? [words(", where ")] : [];
	return {
		id: "weights",
		line: null,
		group: "prefer",
		sentence: sentenceOf([words("The lowest total"), ...where, ...delay, ...and, ...carbon]),
	};
}

function describeEffect(effect: RuleEffect): { group: RuleGroup; parts: Segment[] } {
	switch (effect.kind) {
		case "deny":
			return { group: "remove", parts: alternatives(placesOf(effect, false)) };
		case "allow":
			return { group: "remove", parts: alternatives(placesOf(effect, true)) };
		case "require":
			if (effect.approval !== null) return { group: "ask", parts: [value(LABELS[effect.approval]), words(" says yes or no")] };
			return {
				group: "remove",
				parts: effect.capacityType === null ? [] : [words("the place is a cloud offer other than "), value(LABELS[effect.capacityType])],
			};
		case "burst":
			return { group: "burst", parts: triggersOf(effect) };
		case "preempt":
			return {
				group: "prefer",
				parts: [words("it takes the place of running jobs of class "), value(effect.classes.map((c) => LABELS[c]).join(", "))],
			};
		case "move":
			return { group: "prefer", parts: [words("a burst job goes on where it saves at least "), value(usd(effect.savingMicroUsd))] };
		case "defer":
			return { group: "prefer", parts: [words("its start is put off to a "), value(effect.to), words(" hour")] };
		case "limit":
			return { group: "limit", parts: limitsOf(effect) };
		default:
			return assertNever(effect, "rule effect");
	}
}

type Places = Extract<RuleEffect, { kind: "deny" | "allow" }>;

/** One clause for each list that is given. `outside`: the place is removed because it is not in the list. */
function placesOf(places: Places, outside: boolean): Segment[][] {
	const clauses: Segment[][] = [];
	const add = (items: readonly string[], inside: string, not: string) => {
		if (items.length > 0) clauses.push([words(outside ? not : inside), ...listed(items)]);
	};
	add(places.sites.map(siteName), "the place is ", "the place is not ");
	add(places.regions, "the place lies in ", "the place is a cloud offer outside ");
	add(places.instanceFamilies, "the instance family is ", "the place is a cloud offer of a family other than ");
	add(
		places.capacityTypes.map((type: CapacityType) => LABELS[type]),
		"the capacity is ",
		"the place is a cloud offer other than ",
	);
	return clauses;
}

function siteName(site: string): string {
	if (site === "cloud") return "in a cloud";
	return site === "owned" ? "at home" : `site ${site}`;
}

function triggersOf(effect: Extract<RuleEffect, { kind: "burst" }>): Segment[] {
	if (effect.always) return [words("there is "), value("an allowed offer"), words(", without waiting for home")];
	const clauses: Segment[][] = [];
	if (effect.forecastWaitMs !== null)
		clauses.push([words("the job's forecast wait at home exceeds "), value(formatDuration(effect.forecastWaitMs))]);
	if (effect.waitedMs !== null) clauses.push([words("the job has waited longer than "), value(formatDuration(effect.waitedMs))]);
	if (effect.deadlineSlackMs !== null)
		clauses.push([
			words("the job would have less than "),
			value(formatDuration(effect.deadlineSlackMs)),
			words(" to spare before its deadline"),
		]);
	if (effect.queueLength !== null)
		clauses.push([
			words("more than "),
			value(grouping(String(effect.queueLength))),
			words(effect.queueLength === 1 ? " job waits" : " jobs wait"),
		]);
	return alternatives(clauses);
}

function limitsOf(effect: Extract<RuleEffect, { kind: "limit" }>): Segment[] {
	const clauses: Segment[][] = [];
	if (effect.instanceMs !== null) clauses.push([words("a cloud instance lives at most "), value(formatDuration(effect.instanceMs))]);
	if (effect.idleMs !== null) clauses.push([words("a cloud instance is idle at most "), value(formatDuration(effect.idleMs))]);
	const low = effect.gpuUtilisationBelow;
	if (low !== null)
		clauses.push([
			words("its GPUs are used less than "),
			value(`${low.percent}%`),
			words(" for at most "),
			value(formatDuration(low.forMs)),
		]);
	return clauses.flatMap((c, index) => (index === 0 ? c : [words(", "), ...c]));
}

function alternatives(clauses: readonly Segment[][]): Segment[] {
	return clauses.flatMap((c, index) => (index === 0 ? c : [words(", or "), ...c]));
}

/** $500, $0.50, $1,234.567: cents are written in full or not at all. */
function usd(micro: bigint): string {
	const text = microToUsdText(micro);
	return `$${grouping(/\.\d$/.test(text) ? `${text}0` : text)}`;
}

/** Capital at the start, full stop at the end, neighbouring words joined. */
function sentenceOf(parts: readonly Segment[]): Segment[] {
	const joined: Segment[] = [];
	for (const part of [...parts, words(".")]) {
		const last = joined.at(-1);
		if (last && !last.value && !part.value) joined[joined.length - 1] = words(last.text + part.text);
		else joined.push(part);
	}
	const [first, ...rest] = joined;
	if (!first || first.value) return joined;
	return [words(first.text.charAt(0).toUpperCase() + first.text.slice(1)), ...rest];
}
