import { type Document, isAlias, isMap, isScalar, isSeq, type LineCounter, visit } from "yaml";
import type { PolicyProblem } from "#server/domain/policy.ts";
import { readYaml, type YamlProblem } from "#server/domain/read-yaml.ts";
import { offsetOf } from "#server/domain/schema/problems.ts";
import { POLICY_LIMITS } from "./limits.ts";

type Path = readonly PropertyKey[];

/** A policy's YAML with the positions of its nodes, and the problems found in it. */
export class PolicyText {
	readonly source: string;
	/** null when the text is not YAML; `unreadable` has the reasons. */
	readonly document: Document | null;
	readonly unreadable: readonly YamlProblem[];
	readonly #lines: LineCounter;
	readonly #problems: PolicyProblem[] = [];

	constructor(source: string) {
		this.source = source;
		const { doc, lines, problems } = readYaml(source);
		this.document = doc;
		this.unreadable = problems;
		this.#lines = lines;
	}

	problems(): PolicyProblem[] {
		return [...this.#problems].sort((a, b) => a.line - b.line || a.column - b.column);
	}

	get hasErrors(): boolean {
		return this.#problems.some((problem) => problem.severity === "error");
	}

	/** The limit on problems is reached, so further checks are unnecessary. */
	get full(): boolean {
		return this.#problems.length >= POLICY_LIMITS.problems;
	}

	report(severity: PolicyProblem["severity"], offset: number, message: string, fix: string | null): null {
		if (!this.full) {
			const { line, col } = this.#lines.linePos(offset);
			this.#problems.push({ severity, line: Math.max(1, line), column: Math.max(1, col), message, fix });
		}
		return null;
	}

	lineOf(offset: number): number {
		return this.#lines.linePos(offset).line;
	}

	/** Where the value at a path starts, or the nearest enclosing node that exists. */
	offsetOf(at: Path): number {
		return (this.document && offsetOf({ at, isKey: false }, this.document)) ?? 0;
	}

	keyOffsetOf(at: Path): number {
		return (this.document && offsetOf({ at, isKey: true }, this.document)) ?? 0;
	}

	/** Offsets of aliases (`*name`). Policies must not contain them: every rule shows what it does. */
	aliases(): number[] {
		const found: number[] = [];
		if (this.document) visit(this.document, { Alias: (_key, node) => void found.push(node.range?.[0] ?? 0) });
		return found;
	}

	/** Plain values. Numbers with more than 15 digits stay text, so that amounts of money are exact. */
	plain(): unknown {
		return this.document ? plainOf(this.document.contents) : undefined;
	}
}

function plainOf(node: unknown): unknown {
	if (isAlias(node)) return undefined;
	if (isScalar(node)) {
		const { value, source } = node;
		return typeof value === "number" && source !== undefined && source.replace(/\D/g, "").length > 15 ? source : value;
	}
	if (isSeq(node)) return node.items.map(plainOf);
	if (!isMap(node)) return null;
	return Object.fromEntries(node.items.map(({ key, value }) => [isScalar(key) ? String(key.value) : "", plainOf(value)]));
}
