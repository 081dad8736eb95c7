import type { Policy, PolicyProblem } from "#server/domain/policy.ts";
import type { KnownNames } from "./check-names.ts";
import { ConditionLogic } from "./condition-logic.ts";
import { findContradictions } from "./find-contradictions.ts";
import { findIdleBudgets } from "./find-idle-budgets.ts";
import { findPointless } from "./find-pointless.ts";
import { findSlow } from "./find-slow.ts";
import { findUnknown } from "./find-unknown.ts";
import { findUnreachable } from "./find-unreachable.ts";
import { POLICY_LIMITS } from "./limits.ts";
import { PlaceWork } from "./place-work.ts";
import { type Field, PolicyReader } from "./policy-reader.ts";
import { type PlacedBudget, readBudget } from "./read-budget.ts";
import { type PlacedRule, type ReadContext, readRule } from "./read-rule.ts";
import { type PlacedShare, readShares, readWeights } from "./read-weights.ts";
import { MEASURES, type ParsePolicy, type ParsePolicyOptions } from "./types.ts";

/**
 * Reads a policy text (docs/policy.md) into plain data. Every problem has its line and column; `policy` is null when one
 * of them is an error. What the caller knows of the installation (sites, teams, places) is checked besides. Pure and total: any text
 * gives an answer, in time that grows with its length.
 */
export const parsePolicy: ParsePolicy = (source, options = {}) => {
	const tooLong = source.length > POLICY_LIMITS.documentCharacters;
	const reader = new PolicyReader(tooLong ? "" : source, knownNames(options));
	if (tooLong)
		reader.report("error", 0, `The policy has ${source.length} characters; at most ${POLICY_LIMITS.documentCharacters} are read.`, null);
	const policy = tooLong ? null : readDocument({ reader, siteIds: options.siteIds ?? null, measures: options.measures ?? [] }, options);
	const problems = reader.problems();
	return { policy: problems.some((p) => p.severity === "error") ? null : policy, problems };
};

/**
 * Reads a text that was published: what was accepted then stays in force, also where a check that came later would refuse
 * it now (contradictions, rules that nothing reaches, names that are gone, caps of what is not measured). Null only when
 * something in it cannot be read at all: a rule that is not understood must not be left out silently.
 */
export function parseStoredPolicy(source: string): { policy: Policy | null; problems: PolicyProblem[] } {
	const reader = new PolicyReader(source);
	const policy = readDocument({ reader, siteIds: null, measures: MEASURES }, null);
	const problems = reader.problems();
	return { policy: problems.some((p) => p.severity === "error") ? null : policy, problems };
}

function knownNames({ teams, instanceTypes = [] }: ParsePolicyOptions): KnownNames {
	const types = [...new Set(instanceTypes.flatMap(({ instanceType }) => instanceType ?? []))];
	return { teams, instanceTypes: types.length > 0 ? types : undefined };
}

/** `known` null: what its parts say together is not checked. */
function readDocument(ctx: ReadContext, known: ParsePolicyOptions | null): Policy | null {
	const { reader } = ctx;
	const document = reader.document;
	if (!document) {
		for (const { offset, code, message } of reader.unreadable)
			reader.report("error", offset, `The YAML cannot be read: ${message}.`, hintFor(code));
		return null;
	}
	const root: Field = { path: "the policy", node: document.contents, offset: 0, keyOffset: 0 };
	if (document.contents === null)
		return reader.error(
			root,
			"The policy is empty.",
			"Begin with apiVersion: spillway/v1 and kind: Policy; docs/policy.md has an example.",
		);
	const top = reader.fields(root, ["apiVersion", "kind", "metadata", "spec"]);
	if (!top) return null;
	const version = reader.required(root, top, "apiVersion", "Write apiVersion: spillway/v1.");
	const kind = reader.required(root, top, "kind", "Write kind: Policy.");
	if (version) reader.oneOf(version, ["spillway/v1"]);
	if (kind) reader.oneOf(kind, ["Policy"]);
	const name = readName(reader, reader.required(root, top, "metadata", "Write metadata: { name: default }."));
	const spec = reader.required(root, top, "spec", "Write spec: with rules, budgets and weights.");
	const read = spec && readSpec(ctx, known, spec);
	return read && name !== null ? { name, ...read } : null;
}

function hintFor(code: string): string | null {
	if (code === "TAB_AS_INDENT") return "Indent with spaces.";
	if (code === "DUPLICATE_KEY") return "Keep one of them.";
	if (code === "BAD_SCALAR_START" || code === "UNEXPECTED_TOKEN" || code === "BAD_ALIAS")
		return 'Put the value in quotes, for example "aws:eu-*".';
	return null;
}

function readName(reader: PolicyReader, metadata: Field | null): string | null {
	const fields = metadata && reader.fields(metadata, ["name"]);
	const name = metadata && fields && reader.required(metadata, fields, "name", "Write name: default.");
	return name ? reader.name(name, "default") : null;
}

function readSpec(ctx: ReadContext, known: ParsePolicyOptions | null, at: Field): Omit<Policy, "name"> | null {
	const { reader } = ctx;
	const fields = reader.fields(at, ["rules", "budgets", "shares", "weights"]);
	if (!fields) return null;
	const ruleItems = listOf(reader, fields.get("rules"), POLICY_LIMITS.rules);
	const budgetItems = listOf(reader, fields.get("budgets"), POLICY_LIMITS.budgets);
	const rules = ruleItems.map((item) => readRule(ctx, item)).filter((rule): rule is PlacedRule => rule !== null);
	const placed = budgetItems.map((item) => readBudget(reader, ctx.measures, item)).filter((b): b is PlacedBudget => b !== null);
	const shares = readShares(reader, fields.get("shares"));
	const weights = readWeights(reader, fields.get("weights"));
	if (known) checkTogether(ctx, { known, rules, placed, shares: shares ?? [], at, budgets: budgetItems.length });
	if (!weights || !shares) return null;
	return {
		rules: rules.map((r) => r.rule),
		budgets: placed.flatMap(({ budget }) => budget ?? []),
		caps: placed.flatMap(({ cap }) => cap ?? []),
		shares: shares.map(({ team, weight }) => ({ team, weight })),
		weights,
	};
}

interface Together {
	known: ParsePolicyOptions;
	rules: PlacedRule[];
	placed: PlacedBudget[];
	shares: readonly PlacedShare[];
	at: Field;
	budgets: number;
}

/** What is wrong or odd in parts that can be read, each by itself. */
function checkTogether({ reader }: ReadContext, { known, rules, placed, shares, at, budgets }: Together): void {
	refuseDuplicates(
		reader,
		"rule",
		rules.map(({ rule, idOffset }) => ({ id: rule.id, line: rule.line, idOffset })),
	);
	refuseDuplicates(
		reader,
		"budget",
		placed.map(({ budget, cap, idOffset }) => ({ ...(budget ?? cap), idOffset })),
	);
	const finding = { reader, logic: new ConditionLogic(), work: new PlaceWork(), rules };
	findContradictions(finding);
	findUnreachable(finding);
	findPointless(finding);
	findIdleBudgets(finding, placed);
	findSlow(finding, placed);
	findUnknown(finding, shares, known);
	warnOfMoney(reader, at, rules, budgets);
}

/** A list that is left out or left empty (`budgets:`) has no entries. */
function listOf(reader: PolicyReader, at: Field | undefined, most: number): Field[] {
	if (!at || at.node === null) return [];
	if (typeof at.node === "object" && at.node !== null && "value" in at.node && at.node.value === null) return [];
	return reader.items(at, most) ?? [];
}

function refuseDuplicates(reader: PolicyReader, what: string, entries: readonly { id: string; line: number; idOffset: number }[]): void {
	const seen = new Map<string, number>();
	for (const { id, line, idOffset } of entries) {
		const earlier = seen.get(id);
		if (earlier === undefined) seen.set(id, line);
		else
			reader.report(
				"error",
				idOffset,
				`There is a ${what} ${id} already, in line ${earlier}; decisions name rules by their id.`,
				"Give this one another id.",
			);
	}
}

function warnOfMoney(reader: PolicyReader, spec: Field, rules: readonly PlacedRule[], budgets: number): void {
	const bursts = rules.some((r) => r.rule.effect.kind === "burst");
	const problems: PolicyProblem[] = reader.problems();
	if (problems.some((p) => p.severity === "error")) return;
	if (bursts && budgets === 0) {
		reader.report(
			"warning",
			spec.keyOffset,
			"Jobs may burst and no budget caps the money.",
			'Add a budget, for example { id: cloud-month, scope: "true", period: month, capUsd: 500 }.',
		);
	}
	if (!bursts && rules.length > 0 && !rules.some((r) => r.rule.when === null && r.rule.effect.kind === "deny")) {
		reader.report(
			"warning",
			spec.keyOffset,
			"No rule lets a job burst: everything stays at home.",
			"Add one, for example burst: { after: { forecastWait: 30m } }.",
		);
	}
}
