import type { z } from "zod";
import type { BudgetRule, CapRule, Rule } from "#server/domain/policy.ts";
import { type BudgetFile, budgetSchema, type RuleFile, ruleSchema } from "#server/domain/policy-schema.ts";
import { buildBudget } from "./build-budget.ts";
import { buildEffect } from "./build-rule.ts";
import { checkCondition, checkMeasures, checkSites } from "./check-entries.ts";
import type { KnownNames } from "./check-names.ts";
import type { PolicyText } from "./policy-text.ts";
import type { Measure } from "./types.ts";

/** A rule with the positions of its parts, for the checks between rules. */
export interface PlacedRule {
	rule: Rule;
	offset: number;
	idOffset: number;
	/** The condition, or the whole rule if it has none. */
	whenOffset: number;
}

/** An entry of `spec.budgets` with the positions of its parts. */
export type PlacedBudget = { offset: number; idOffset: number; scopeOffset: number } & (
	| { budget: BudgetRule; cap: null }
	| { budget: null; cap: CapRule }
);

export interface PlacedShare {
	team: string;
	weight: number;
	offset: number;
}

export interface ParseContext {
	text: PolicyText;
	/** Sites that exist; null when unknown. */
	siteIds: readonly string[] | null;
	measures: readonly Measure[];
	known: KnownNames;
}

/** The entries of a list of the document that the schema accepts, with their index. */
function validEntries<T>(written: unknown, schema: z.ZodType<T>): { file: T; index: number }[] {
	if (!Array.isArray(written)) return [];
	return written.flatMap((entry, index) => {
		const { data } = schema.safeParse(entry);
		return data === undefined ? [] : [{ file: data, index }];
	});
}

/** The rules without errors. Problems that the schema finds are reported elsewhere. */
export function parseRules({ text, siteIds, measures, known }: ParseContext, written: unknown): PlacedRule[] {
	return validEntries<RuleFile>(written, ruleSchema).flatMap(({ file, index }) => {
		const at = ["spec", "rules", index];
		const offset = text.offsetOf(at);
		const effect = buildEffect(file);
		const rule: Rule = { id: file.id, when: file.when ?? null, line: text.lineOf(offset), effect };
		// Approvals are decided after a place is chosen, when there is a quote.
		const scope = effect.kind === "require" && effect.approval !== null ? "job_and_quote" : "job";
		const isConditionValid = checkCondition(text, [...at, "when"], scope, known);
		const areSitesValid = checkSites(text, at, rule, siteIds);
		checkMeasures(text, at, rule, measures);
		if (!isConditionValid || !areSitesValid) return [];
		return [{ rule, offset, idOffset: text.offsetOf([...at, "id"]), whenOffset: text.offsetOf([...at, "when"]) }];
	});
}

/** The budgets and caps without errors. */
export function parseBudgets({ text, known }: ParseContext, written: unknown): PlacedBudget[] {
	return validEntries<BudgetFile>(written, budgetSchema).flatMap(({ file, index }) => {
		const at = ["spec", "budgets", index];
		const offset = text.offsetOf(at);
		if (!checkCondition(text, [...at, "scope"], "job", known)) return [];
		return [
			{
				offset,
				idOffset: text.offsetOf([...at, "id"]),
				scopeOffset: text.offsetOf([...at, "scope"]),
				...buildBudget(file, text.lineOf(offset)),
			},
		];
	});
}

export function parseShares({ text }: ParseContext, shares: Readonly<Record<string, number>>): PlacedShare[] {
	return Object.entries(shares).map(([team, weight]) => ({ team, weight, offset: text.keyOffsetOf(["spec", "shares", team]) }));
}
