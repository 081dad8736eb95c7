import type { ASTNode } from "@marcbachmann/cel-js";
import { nearestName, suggestName } from "#server/kernel/nearest-name.ts";
import { FUNCTIONS, LOOPS, METHODS } from "./expression-environment.ts";
import { type FactField, JOB_FIELDS, QUOTE_FIELDS } from "./job-facts.ts";
import { POLICY_LIMITS } from "./limits.ts";
import { nodesIn } from "./syntax-tree.ts";

/** A problem in an expression, `offset` characters from its start. */
export interface ExpressionProblem {
	severity: "error" | "warning";
	offset: number;
	message: string;
	fix: string | null;
}

/** The position of an expression decides whether it may use the quote. */
export type ExpressionScope = "job" | "job_and_quote";

const ROOTS: Readonly<Record<string, Readonly<Record<string, FactField>>>> = { job: JOB_FIELDS, quote: QUOTE_FIELDS };

/** Existing names. An unknown list is not checked. */
export interface KnownNames {
	teams?: readonly string[] | undefined;
	instanceTypes?: readonly string[] | undefined;
}

/** Unknown names, impossible values, and reads that may find nothing. */
export function checkNames(root: ASTNode, scope: ExpressionScope, known: KnownNames = {}): ExpressionProblem[] {
	const check = new NameCheck(scope, known);
	check.run(root);
	return check.problems;
}

class NameCheck {
	readonly problems: ExpressionProblem[] = [];
	readonly #scope: ExpressionScope;
	/** Labels that the expression tests for presence. */
	readonly #guarded = new Set<string>();
	readonly #labelReads: { label: string; offset: number }[] = [];
	readonly #known: KnownNames;
	constructor(scope: ExpressionScope, known: KnownNames) {
		this.#scope = scope;
		this.#known = known;
	}

	run(root: ASTNode): void {
		this.#visit(root, [], false);
		for (const { label, offset } of this.#labelReads) {
			if (this.#guarded.has(label)) continue;
			this.#report("warning", offset, `A job without the label ${label} gives this condition no result, so the stricter outcome applies.`, {
				fix: `Write "${label}" in job.labels && … before it.`,
			});
		}
	}

	#visit(node: ASTNode, variables: readonly string[], inLoop: boolean): void {
		switch (node.op) {
			case "value":
				return;
			case "id":
				this.#identifier(node, variables);
				return;
			case ".":
			case ".?":
				this.#field(node.args[0], node.args[1], node, variables, inLoop);
				return;
			case "[]":
			case "[?]":
				this.#index(node.args[0], node.args[1], node, variables, inLoop);
				return;
			case "call":
				this.#call(node.args[0], node.args[1], node, variables, inLoop);
				return;
			case "rcall":
				this.#method(node.args[0], node.args[1], node.args[2], node, variables, inLoop);
				return;
			default:
				this.#closedValues(node);
				this.#knownValues(node);
				this.#labelGuard(node);
				for (const child of nodesIn(node)) this.#visit(child, variables, inLoop);
		}
	}

	#identifier(node: ASTNode & { op: "id" }, variables: readonly string[]): void {
		const name = node.args;
		if (variables.includes(name) || name === "job") return;
		if (name === "quote") {
			if (this.#scope === "job_and_quote") return;
			this.#report("error", node.start, "The quote is known only after a place is chosen; this condition can use only the job.", {
				fix: "Use quote.… in a rule with require: { approval: … }.",
			});
			return;
		}
		const field = Object.hasOwn(JOB_FIELDS, name) ? name : nearestName(name, Object.keys(JOB_FIELDS));
		const meant = field === name ? `job.${name}` : (nearestName(name, ["job", "quote"]) ?? (field === null ? null : `job.${field}`));
		const fix = meant === null ? "Write job fields as job.…" : `Did you mean ${meant}?`;
		this.#report("error", node.start, `There is no ${name}.`, { fix: `${fix} Put text in quotes: "${name}".` });
	}

	#field(receiver: ASTNode, name: string, node: ASTNode, variables: readonly string[], inLoop: boolean): void {
		const root = rootOf(receiver, variables);
		if (root !== null) {
			const fields = ROOTS[root] ?? {};
			this.#visit(receiver, variables, inLoop);
			if (!Object.hasOwn(fields, name)) {
				const offset = node.end - name.length;
				this.#report("error", Math.max(node.start, offset), `${root} has no ${name}.`, { fix: suggestName(name, Object.keys(fields)) });
			}
			return;
		}
		if (isLabels(receiver, variables)) this.#labelReads.push({ label: name, offset: node.start });
		this.#visit(receiver, variables, inLoop);
	}

	#index(receiver: ASTNode, index: ASTNode, node: ASTNode, variables: readonly string[], inLoop: boolean): void {
		const root = rootOf(receiver, variables);
		if (root !== null) {
			this.#report("error", node.start, `Read fields of ${root} with a dot.`, {
				fix: `Write for example ${root}.${Object.keys(ROOTS[root] ?? {})[0]}.`,
			});
			return;
		}
		if (isLabels(receiver, variables) && index.op === "value" && typeof index.args === "string") {
			this.#labelReads.push({ label: index.args, offset: node.start });
		} else {
			this.#report("warning", node.start, "If nothing is at this position, the condition has no result, so the stricter outcome applies.", {
				fix: "Use in or exists(…) instead of a position in the list.",
			});
		}
		this.#visit(receiver, variables, inLoop);
		this.#visit(index, variables, inLoop);
	}

	#call(name: string, args: readonly ASTNode[], node: ASTNode, variables: readonly string[], inLoop: boolean): void {
		if (!(FUNCTIONS as readonly string[]).includes(name)) {
			this.#report("error", node.start, `There is no function ${name}().`, { fix: suggestName(name, FUNCTIONS) });
			return;
		}
		const [only] = args;
		if (name === "has" && only?.op === "." && isLabels(only.args[0], variables)) {
			this.#guarded.add(only.args[1]);
			this.#visit(only.args[0], variables, inLoop);
			return;
		}
		for (const arg of args) this.#visit(arg, variables, inLoop);
	}

	#method(name: string, receiver: ASTNode, args: readonly ASTNode[], node: ASTNode, variables: readonly string[], inLoop: boolean): void {
		if (!(METHODS as readonly string[]).includes(name)) {
			const fix = name === "matches" ? "Use startsWith, endsWith or contains." : suggestName(name, METHODS);
			this.#report("error", node.start, `${name}() cannot be used in a policy.`, { fix });
			return;
		}
		this.#visit(receiver, variables, inLoop);
		const [first, ...rest] = args;
		if (!LOOPS.includes(name) || first === undefined) {
			for (const arg of args) this.#visit(arg, variables, inLoop);
			return;
		}
		if (inLoop) {
			this.#report("error", node.start, `${name}() is nested in another loop, so each job would go through every combination.`, {
				fix: "Split the condition into two rules.",
			});
			return;
		}
		const scoped = first.op === "id" ? [...variables, first.args] : variables;
		for (const arg of rest) this.#visit(arg, scoped, true);
	}

	/** `job.class == "experimantal"` can never hold: report it with the likely value. */
	#closedValues(node: ASTNode): void {
		if (node.op !== "==" && node.op !== "!=" && node.op !== "in") return;
		const [left, right] = node.args;
		const [field, other] = closedFieldOf(left) ? [left, right] : [right, left];
		const values = closedFieldOf(field);
		if (!values) return;
		for (const literal of literalsIn(other)) {
			if (literal.op !== "value" || typeof literal.args !== "string" || values.includes(literal.args)) continue;
			this.#report("error", literal.start, `"${literal.args}" is not a known ${fieldName(field)}.`, {
				fix: suggestName(
					literal.args,
					values.filter((v) => v !== ""),
				),
			});
		}
	}

	/** An unknown team or instance type: the condition would silently match no jobs. */
	#knownValues(node: ASTNode): void {
		if (node.op !== "==" && node.op !== "!=" && node.op !== "in") return;
		const [left, right] = node.args;
		for (const { root, field, what, names } of [
			{ root: "job", field: "team", what: "team", names: this.#known.teams },
			{ root: "quote", field: "instanceType", what: "instance type", names: this.#known.instanceTypes },
		] as const) {
			const other = isField(left, root, field) ? right : isField(right, root, field) ? left : null;
			if (!names || !other) continue;
			for (const literal of literalsIn(other)) {
				// A home has no instance type.
				if (literal.op !== "value" || typeof literal.args !== "string" || literal.args === "" || names.includes(literal.args)) continue;
				this.#report("error", literal.start, `There is no ${what} "${literal.args}".`, { fix: suggestName(literal.args, names) });
			}
		}
	}

	#labelGuard(node: ASTNode): void {
		if (node.op !== "in") return;
		const [label, map] = node.args;
		if (label.op === "value" && typeof label.args === "string" && isLabels(map, [])) this.#guarded.add(label.args);
	}

	#report(severity: "error" | "warning", offset: number, message: string, { fix }: { fix: string }): void {
		if (this.problems.length < POLICY_LIMITS.problems) this.problems.push({ severity, offset, message, fix });
	}
}

function rootOf(node: ASTNode, variables: readonly string[]): "job" | "quote" | null {
	if (node.op !== "id" || variables.includes(node.args)) return null;
	return node.args === "job" || node.args === "quote" ? node.args : null;
}

function isLabels(node: ASTNode, variables: readonly string[]): boolean {
	return node.op === "." && node.args[1] === "labels" && rootOf(node.args[0], variables) === "job";
}

function literalsIn(node: ASTNode): readonly ASTNode[] {
	return node.op === "list" ? node.args : [node];
}

function isField(node: ASTNode, root: "job" | "quote", field: string): boolean {
	return node.op === "." && node.args[1] === field && rootOf(node.args[0], []) === root;
}

function closedFieldOf(node: ASTNode): readonly string[] | null {
	if (node.op !== ".") return null;
	const root = rootOf(node.args[0], []);
	const fields = root === null ? undefined : ROOTS[root];
	return fields && Object.hasOwn(fields, node.args[1]) ? (fields[node.args[1]]?.values ?? null) : null;
}

function fieldName(node: ASTNode): string {
	if (node.op !== ".") return "value";
	const root = rootOf(node.args[0], []);
	return (root === null ? undefined : ROOTS[root]?.[node.args[1]]?.meaning) ?? node.args[1];
}
