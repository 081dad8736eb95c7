import { type Document, isAlias, isMap, isScalar, isSeq, type LineCounter, type Scalar } from "yaml";
import type { PolicyProblem } from "#server/domain/policy.ts";
import { readYaml, type YamlProblem } from "#server/domain/read-yaml.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { didYouMean } from "#server/kernel/nearest-name.ts";
import { formatDuration, parseDurationMs } from "#server/kernel/units.ts";
import { checkExpression } from "./check-expression.ts";
import type { ExpressionScope, KnownNames } from "./check-names.ts";
import { sourceOffset } from "./expression-position.ts";
import { POLICY_LIMITS } from "./limits.ts";

/** A place in the document: its dotted path, its YAML node, and where it (or its key, when it is empty) begins. */
export interface Field {
	path: string;
	node: unknown;
	offset: number;
	/** Where its key stands: what to point at when the field itself is out of place. */
	keyOffset: number;
}

const NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const NAMES = 'must be 1 to 63 letters, digits, ".", "_" or "-", beginning and ending with a letter or digit';

/** Reads typed values out of YAML nodes and collects the problems with their places. A null means: reported already. */
export class PolicyReader {
	readonly source: string;
	/** null when the text is not YAML; `unreadable` says why. */
	readonly document: Document | null;
	readonly unreadable: readonly YamlProblem[];
	readonly #lines: LineCounter;
	readonly #problems: PolicyProblem[] = [];
	/** What conditions may name. */
	readonly #known: KnownNames;
	constructor(source: string, known: KnownNames = {}) {
		this.source = source;
		this.#known = known;
		const { doc, lines, problems } = readYaml(source);
		this.document = doc;
		this.unreadable = problems;
		this.#lines = lines;
	}

	problems(): PolicyProblem[] {
		return [...this.#problems].sort((a, b) => a.line - b.line || a.column - b.column);
	}

	lineOf(offset: number): number {
		return this.#lines.linePos(offset).line;
	}

	/** No more problems are taken: what would only be told need not be looked for. */
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

	error(at: Field, message: string, fix: string | null): null {
		return this.report("error", at.offset, message, fix);
	}

	/** What DESIGN promises and nothing enforces yet: refused, so that nobody relies on it. */
	notYet(at: Field, why: string, fix: string): null {
		return this.report("error", at.keyOffset, `${at.path} is not supported yet: ${why}`, fix);
	}

	/** The fields of a mapping by name. Unknown ones are reported with the name that was probably meant. */
	fields(at: Field, known: readonly string[]): Map<string, Field> | null {
		if (isAlias(at.node)) return this.#alias(at);
		if (!isMap(at.node)) return this.error(at, `${at.path} must have fields.`, `Write them indented below it: ${known.join(", ")}.`);
		const found = new Map<string, Field>();
		for (const pair of at.node.items) {
			const keyOffset = startOf(pair.key) ?? at.offset;
			const name = isScalar(pair.key) ? String(pair.key.value) : "";
			if (!known.includes(name)) {
				const shown = name === "" ? "This" : shorten(name);
				this.report("error", keyOffset, `${shown} is not a field of ${at.path}.`, didYouMean(name, known));
				continue;
			}
			found.set(name, {
				path: at.path === "the policy" ? name : `${at.path}.${name}`,
				node: pair.value,
				offset: startOf(pair.value) ?? keyOffset,
				keyOffset,
			});
		}
		return found;
	}

	/** A choice between fields was not made; silent when something unknown was given, which `fields` has reported already. */
	missing(at: Field, fields: Map<string, Field>, message: string, fix: string): null {
		return isMap(at.node) && at.node.items.length > fields.size ? null : this.error(at, message, fix);
	}

	required(at: Field, fields: Map<string, Field>, name: string, fix: string): Field | null {
		return fields.get(name) ?? this.error(at, `${at.path} has no ${name}.`, fix);
	}

	items(at: Field, most: number): Field[] | null {
		if (isAlias(at.node)) return this.#alias(at);
		if (!isSeq(at.node)) {
			const text = isScalar(at.node) && at.node.value !== null ? String(at.node.source ?? at.node.value) : null;
			return this.error(
				at,
				`${at.path} must be a list.`,
				text === null ? "Write [a, b], or one a line behind a dash." : `Write [${shorten(text)}].`,
			);
		}
		if (at.node.items.length > most)
			return this.error(at, `${at.path} has ${at.node.items.length} entries; at most ${most} are read.`, null);
		return at.node.items.map((node, index) => {
			const offset = startOf(node) ?? at.offset;
			return { path: `${at.path}[${index}]`, node, offset, keyOffset: offset };
		});
	}

	text(at: Field, example: string): string | null {
		const scalar = this.#scalar(at, example);
		if (scalar === null) return null;
		if (typeof scalar.value === "string") return scalar.value;
		return this.error(at, `${at.path} must be a text, not ${shorten(textOf(scalar))}.`, `Write for example ${example}.`);
	}

	name(at: Field, example: string): string | null {
		const scalar = this.#scalar(at, example);
		if (scalar === null) return null;
		const text = textOf(scalar);
		if (NAME.test(text)) return text;
		return this.error(at, `${at.path} ${NAMES}, not "${shorten(text)}".`, `Write for example ${example}.`);
	}

	/** Whether the key of a field is a name, where keys are not fixed. */
	named(key: string, at: Field, example: string): boolean {
		if (NAME.test(key)) return true;
		this.report("error", at.keyOffset, `A name ${NAMES}, not "${shorten(key)}".`, `Write for example ${example}.`);
		return false;
	}

	oneOf<T extends string>(at: Field, allowed: readonly T[]): T | null {
		const scalar = this.#scalar(at, allowed[0] ?? "");
		if (scalar === null) return null;
		const text = textOf(scalar);
		const found = allowed.find((value) => value === text);
		return found ?? this.error(at, `${at.path} cannot be "${shorten(text)}".`, didYouMean(text, allowed));
	}

	/** `atLeast` is allowed itself, `above` is not; one of them is given. */
	number(
		at: Field,
		{ above, atLeast, atMost, whole, unit }: { above?: number; atLeast?: number; atMost: number; whole: boolean; unit: string },
	): number | null {
		const scalar = this.#scalar(at, "24");
		if (scalar === null) return null;
		const value = scalar.value;
		const fits = (n: number) => (above === undefined || n > above) && (atLeast === undefined || n >= atLeast) && n <= atMost;
		if (typeof value === "number" && fits(value) && (!whole || Number.isSafeInteger(value))) return value;
		const kind = whole ? "a whole number" : "a number";
		const from = above === undefined ? `from ${atLeast ?? 0}` : `above ${above}`;
		const leading = /^\d+(\.\d+)?/.exec(textOf(scalar));
		const fix = typeof value === "string" && leading ? `Write ${leading[0]}; it is counted in ${unit}.` : null;
		return this.error(at, `${at.path} must be ${kind} of ${unit} ${from} and at most ${atMost}, not ${shorten(textOf(scalar))}.`, fix);
	}

	durationMs(at: Field): number | null {
		const scalar = this.#scalar(at, "30m");
		if (scalar === null) return null;
		const text = textOf(scalar).trim();
		const ms = parseDurationMs(text);
		if (ms !== null && ms > 0 && ms <= POLICY_LIMITS.durationMs) return ms;
		if (/^\d+(\.\d+)?$/.test(text) && Number(text) > 0) {
			return this.error(
				at,
				`${shorten(text)} what? A length of time needs a unit.`,
				`Write ${shorten(text)}s, ${shorten(text)}m or ${shorten(text)}h.`,
			);
		}
		if (ms !== null)
			return this.error(
				at,
				`${at.path} must be above 0s and at most ${formatDuration(POLICY_LIMITS.durationMs)}, not ${shorten(text)}.`,
				null,
			);
		return this.error(at, `"${shorten(text)}" is not a length of time.`, "Write for example 90s, 15m, 6h or 1h30m.");
	}

	/** Dollars as exact micro-dollars, from the digits in the source: a number that went through floating point could differ. */
	microUsd(at: Field): bigint | null {
		const scalar = this.#scalar(at, "500");
		if (scalar === null) return null;
		const text = textOf(scalar).trim();
		if (!/^\d{1,12}(\.\d{1,6}0*)?$/.test(text) || Number(text) > POLICY_LIMITS.capUsd) {
			const digits = /^\$?(\d[\d,_ ]*(\.\d{1,6})?)( ?USD)?$/i.exec(text)?.[1]?.replace(/[,_ ]/g, "");
			const what = `must be an amount of USD, 0 or more, with at most six decimals, not ${shorten(text)}`;
			return this.error(at, `${at.path} ${what}.`, `Write for example ${digits !== undefined && digits.length <= 12 ? digits : "500"}.`);
		}
		return usdToMicro(text);
	}

	/** A CEL condition, checked; its problems are reported where they stand inside the expression. */
	condition(at: Field, scope: ExpressionScope): string | null {
		const scalar = this.#scalar(at, 'job.class == "sensitive"');
		if (scalar === null) return null;
		const text = textOf(scalar);
		const start = at.offset;
		const end = scalar.range?.[1] ?? start;
		let sound = true;
		for (const problem of checkExpression(text, scope, this.full ? {} : this.#known)) {
			const offset = sourceOffset(this.source, { start, end }, text, problem.offset);
			this.report(problem.severity, offset, problem.message, problem.fix);
			if (problem.severity === "error") sound = false;
		}
		return sound ? text : null;
	}

	#scalar(at: Field, example: string): Scalar | null {
		if (isAlias(at.node)) return this.#alias(at);
		if (at.node === null || at.node === undefined || (isScalar(at.node) && at.node.value === null)) {
			return this.error(at, `${at.path} is empty.`, `Write for example ${example}.`);
		}
		if (isScalar(at.node)) return at.node;
		return this.error(at, `${at.path} must be a single value.`, `Write for example ${example}.`);
	}

	#alias(at: Field): null {
		return this.error(at, "Aliases (*name) are not read in a policy: every rule must show what it does.", "Write the value out.");
	}
}

/** The scalar as it is written, without quotes: `1.10` stays `1.10`. */
function textOf(scalar: Scalar): string {
	if (typeof scalar.value === "string") return scalar.value;
	return scalar.source ?? String(scalar.value);
}

function startOf(node: unknown): number | null {
	if (node === null || typeof node !== "object" || !("range" in node) || !Array.isArray(node.range)) return null;
	const start: unknown = node.range[0];
	return typeof start === "number" ? start : null;
}

export function shorten(text: string): string {
	return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
}
