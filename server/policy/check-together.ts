import { ConditionLogic } from "./condition-logic.ts";
import { findContradictions } from "./find-contradictions.ts";
import { findIdleBudgets } from "./find-idle-budgets.ts";
import { findPointless } from "./find-pointless.ts";
import { findSlow } from "./find-slow.ts";
import { findUnknown } from "./find-unknown.ts";
import { findUnreachable } from "./find-unreachable.ts";
import type { PlacedBudget, PlacedRule, PlacedShare } from "./parse-entries.ts";
import { PlaceWork } from "./place-work.ts";
import type { PolicyText } from "./policy-text.ts";
import type { ParsePolicyOptions } from "./types.ts";

export interface CheckedParts {
	text: PolicyText;
	options: ParsePolicyOptions;
	rules: PlacedRule[];
	budgets: PlacedBudget[];
	shares: readonly PlacedShare[];
}

/** Reports what is wrong or questionable about valid parts together. */
export function checkTogether({ text, options, rules, budgets, shares }: CheckedParts): void {
	reportDuplicates(
		text,
		"rule",
		rules.map(({ rule, idOffset }) => ({ id: rule.id, line: rule.line, idOffset })),
	);
	reportDuplicates(
		text,
		"budget",
		budgets.map(({ budget, cap, idOffset }) => ({ ...(budget ?? cap), idOffset })),
	);
	const finding = { reader: text, logic: new ConditionLogic(), work: new PlaceWork(), rules };
	findContradictions(finding);
	findUnreachable(finding);
	findPointless(finding);
	findIdleBudgets(finding, budgets);
	findSlow(finding, budgets);
	findUnknown(finding, shares, options);
	warnAboutMoney(text, rules, budgets);
}

function reportDuplicates(text: PolicyText, what: string, entries: readonly { id: string; line: number; idOffset: number }[]): void {
	const lines = new Map<string, number>();
	for (const { id, line, idOffset } of entries) {
		const earlier = lines.get(id);
		if (earlier === undefined) lines.set(id, line);
		else
			text.report(
				"error",
				idOffset,
				`The ${what} ID ${id} is already used on line ${earlier}.`,
				"Use another ID: decisions refer to rules by it.",
			);
	}
}

function warnAboutMoney(text: PolicyText, rules: readonly PlacedRule[], budgets: readonly PlacedBudget[]): void {
	if (text.hasErrors) return;
	const bursts = rules.some(({ rule }) => rule.effect.kind === "burst");
	const offset = text.keyOffsetOf(["spec"]);
	if (bursts && budgets.length === 0) {
		const fix = 'Add a budget, for example { id: cloud-month, scope: "true", period: month, capUsd: 500 }.';
		text.report("warning", offset, "Jobs can burst and no budget caps the cost.", fix);
	}
	if (!bursts && rules.length > 0 && !rules.some(({ rule }) => rule.when === null && rule.effect.kind === "deny")) {
		const fix = "Add one, for example burst: { after: { forecastWait: 30m } }.";
		text.report("warning", offset, "No rule lets jobs burst, so everything stays on owned GPUs.", fix);
	}
}
