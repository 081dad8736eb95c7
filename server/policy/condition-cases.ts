import type { ASTNode } from "@marcbachmann/cel-js";
import { type Demand, type Domain, intersected, narrowed } from "./condition-domain.ts";
import { environment } from "./expression-environment.ts";
import { JOB_FIELDS, QUOTE_FIELDS } from "./job-facts.ts";
import { POLICY_LIMITS } from "./limits.ts";
import { nodesIn } from "./syntax-tree.ts";

/** Remaining values of each field after one way of meeting a condition. */
export type Case = ReadonlyMap<string, Domain>;

const ANY: Case = new Map();
const NONE: readonly Case[] = [];

/**
 * The ways in which a condition can be true (or false), as alternatives; a condition without any is impossible. Parts
 * that cannot be evaluated here are left open, each separately, so that "none" is certain and "some" is not. Null: too
 * many.
 */
export function casesOf(node: ASTNode, holds: boolean): readonly Case[] | null {
	switch (node.op) {
		case "&&":
		case "||": {
			const [a, b] = [casesOf(node.args[0], holds), casesOf(node.args[1], holds)];
			// not (a and b) is not a or not b
			return (node.op === "&&") === holds ? bothOf(a, b) : eitherOf(a, b);
		}
		case "!_":
			return casesOf(node.args, !holds);
		case "?:": {
			const [condition, yes, no] = node.args;
			if (mayHaveNoAnswer(condition)) return opaque(node, holds);
			const first = bothOf(casesOf(condition, true), casesOf(yes, holds));
			return eitherOf(first, bothOf(casesOf(condition, false), casesOf(no, holds)));
		}
		case "in":
			return membership(node, holds);
		default: {
			const demand = demandOf(node, holds);
			return demand ? meeting(demand.field, demand.demand) : (constantOf(node, holds) ?? opaque(node, holds));
		}
	}
}

/** Ways to meet both conditions; null when there are too many. */
export function bothOf(a: readonly Case[] | null, b: readonly Case[] | null): readonly Case[] | null {
	if (a?.length === 0 || b?.length === 0) return NONE;
	if (!a || !b || a.length * b.length > POLICY_LIMITS.conditionCases ** 2) return null;
	const both: Case[] = [];
	for (const x of a) {
		for (const y of b) {
			const merged = merge(x, y);
			if (merged) both.push(merged);
			if (both.length > POLICY_LIMITS.conditionCases) return null;
		}
	}
	return both;
}

function eitherOf(a: readonly Case[] | null, b: readonly Case[] | null): readonly Case[] | null {
	return !a || !b || a.length + b.length > POLICY_LIMITS.conditionCases ? null : [...a, ...b];
}

function merge(a: Case, b: Case): Case | null {
	if (a.size === 0) return b;
	const merged = new Map(a);
	for (const [field, domain] of b) {
		const left = intersected(field, merged.get(field), domain);
		if (left === null) return null;
		merged.set(field, left);
	}
	return merged;
}

function meeting(field: string, demand: Demand): readonly Case[] {
	const domain = narrowed(field, undefined, demand);
	return domain ? [new Map([[field, domain]])] : NONE;
}

const OPPOSITES = { "==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">" } as const;
const MIRRORED = { "==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<=" } as const;
type Comparison = keyof typeof OPPOSITES;

/** A field compared with a literal, or a boolean field. */
function demandOf(node: ASTNode, holds: boolean): { field: string; demand: Demand } | null {
	const flag = fieldOf(node);
	if (flag !== null) return { field: flag, demand: { op: "is", value: holds } };
	if (!isComparison(node)) return null;
	const [left, right] = node.args;
	const straight = fieldOf(left) !== null;
	const field = fieldOf(straight ? left : right);
	const value = literalOf(straight ? right : left);
	if (field === null || value === null) return null;
	const written = straight ? node.op : MIRRORED[node.op];
	const op = holds ? written : OPPOSITES[written];
	if (typeof value === "number") return { field, demand: { op, value } };
	if (op !== "==" && op !== "!=") return null;
	return { field, demand: typeof value === "boolean" ? { op: "is", value: value === (op === "==") } : { op, value } };
}

function isComparison(node: ASTNode): node is ASTNode & { op: Comparison } {
	return Object.hasOwn(OPPOSITES, node.op);
}

/** `job.class in ["a", "b"]`: one case for each, or none of them. */
function membership(node: ASTNode & { op: "in" }, holds: boolean): readonly Case[] | null {
	const [item, list] = node.args;
	const field = fieldOf(item);
	if (field === null || list.op !== "list") return constantOf(node, holds) ?? opaque(node, holds);
	const values = list.args.map(literalOf);
	const demands = values.map((value): Demand | null => {
		if (typeof value === "number") return { op: holds ? "==" : "!=", value };
		return typeof value === "string" ? { op: holds ? "==" : "!=", value } : null;
	});
	let cases: readonly Case[] | null = holds ? NONE : [ANY];
	for (const demand of demands) {
		if (!demand) return opaque(node, holds);
		const one = meeting(field, demand);
		cases = holds ? eitherOf(cases, one) : bothOf(cases, one);
	}
	return cases;
}

/** Parts that do not depend on the job are evaluated. */
function constantOf(node: ASTNode, holds: boolean): readonly Case[] | null {
	if (asksAnything(node)) return null;
	try {
		const value: unknown = environment.evaluate(sourceOf(node), {});
		return typeof value === "boolean" ? (value === holds ? [ANY] : NONE) : null;
	} catch {
		return null;
	}
}

/** An unsupported part has a fixed result per text, so equal texts are equal. A part that may fail to evaluate is left open. */
function opaque(node: ASTNode, holds: boolean): readonly Case[] {
	return mayHaveNoAnswer(node) ? [ANY] : meeting(`? ${sourceOf(node)}`, { op: "is", value: holds });
}

/** `job.team`; null for anything else, including labels and lists. */
function fieldOf(node: ASTNode): string | null {
	if (node.op !== "." || node.args[0].op !== "id") return null;
	const root = node.args[0].args;
	const fields = root === "job" ? JOB_FIELDS : root === "quote" ? QUOTE_FIELDS : null;
	const name = node.args[1];
	if (!fields || !Object.hasOwn(fields, name)) return null;
	const type = Object.entries(fields).find(([known]) => known === name)?.[1].type;
	return type === "string" || type === "double" || type === "bool" ? `${root}.${name}` : null;
}

function literalOf(node: ASTNode): string | number | boolean | null {
	if (node.op === "-_") {
		const value = literalOf(node.args);
		return typeof value === "number" ? -value : null;
	}
	if (node.op !== "value") return null;
	const value: unknown = node.args;
	if (typeof value === "bigint") return Number(value);
	return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}

function asksAnything(node: ASTNode): boolean {
	return node.op === "id" || nodesIn(node).some(asksAnything);
}

/** Reads that may find nothing, divisions, and conversions of a text that may not be a number. */
function mayHaveNoAnswer(node: ASTNode): boolean {
	if (node.op === "[]" || node.op === "[?]" || node.op === "/" || node.op === "%" || node.op === "call") return true;
	if (node.op === "." && node.args[0].op === "." && node.args[0].args[1] === "labels") return true;
	return nodesIn(node).some(mayHaveNoAnswer);
}

function sourceOf(node: ASTNode): string {
	return node.input.slice(node.start, node.end);
}
