import { type Document, isMap, isNode, isScalar, type LineCounter } from "yaml";
import type { z } from "zod";
import type { FieldProblem } from "../../kernel/errors.ts";
import { nearestName, suggestName } from "../../kernel/nearest-name.ts";
import type { Schema } from "./field-meta.ts";
import { fieldNamesAt, metaOf, schemaAt } from "./list-fields.ts";

/** Limit on reported problems: for a document that is wrong throughout, the response must not be longer than the document. */
export const MAX_PROBLEMS = 50;

/** A problem with the path of its field, used to find line and column. */
export interface PathProblem extends FieldProblem {
	at: readonly PropertyKey[];
	/** The key is wrong, not its value. */
	isKey: boolean;
	/** What to do, as a sentence. */
	fix: string | null;
}

/** The problems of a failed parse. An unknown field explains the other problems of its object, so those are left out. */
export function problemsOf(error: z.ZodError | undefined, document: unknown, schema: Schema): PathProblem[] {
	const issues = error?.issues ?? [];
	const unknownAt = new Set(issues.filter((issue) => issue.code === "unrecognized_keys").map((issue) => issue.path.join(".")));
	return issues
		.filter((issue) => issue.code !== "custom" || !unknownAt.has(issue.path.join(".")))
		.flatMap((issue) => problemsOfIssue(issue, document, schema));
}

/** The problems of one zod issue: the field, the given value and what is allowed. */
function problemsOfIssue(issue: z.core.$ZodIssue, document: unknown, schema: Schema): PathProblem[] {
	const path = issue.path.map(String).join(".");
	if (issue.code === "unrecognized_keys") {
		const known = fieldNamesAt(schema, issue.path) ?? [];
		return issue.keys.slice(0, MAX_PROBLEMS).map((key) => ({
			path: path ? `${path}.${key}` : key,
			message: "is not a known field",
			fix: suggestName(key, known),
			at: [...issue.path, key],
			isKey: true,
		}));
	}
	const written = issue.path.reduce<unknown>(
		(value, key) => (value !== null && typeof value === "object" ? (value as Record<PropertyKey, unknown>)[key] : undefined),
		document,
	);
	const isKey = issue.code === "invalid_key" || (issue.code === "custom" && issue.params?.["isKey"] === true);
	return [{ path, message: messageOf(issue, written), fix: fixOf(issue, written, schema), at: issue.path, isKey }];
}

/** Message and fix in one line, for lists of problems without a column for fixes. */
export const withFix = ({ message, fix }: Pick<PathProblem, "message" | "fix">): string => (fix === null ? message : `${message}. ${fix}`);

function messageOf(issue: z.core.$ZodIssue, written: unknown): string {
	if (issue.code === "custom") return issue.message;
	if (issue.code === "invalid_key") return issue.issues[0]?.message ?? issue.message;
	const rule = ruleOf(issue);
	if (written === undefined) return requiredMessage(issue, rule);
	if (written === null) return `is empty: ${rule}`;
	const isEmptyList = issue.code === "too_small" && issue.origin === "array";
	return isEmptyList ? rule : `${rule}, not ${format(written)}`;
}

const requiredMessage = (issue: z.core.$ZodIssue, rule: string): string =>
	issue.code === "invalid_value" ? `is required and ${rule}` : "is required";

function fixOf(issue: z.core.$ZodIssue, written: unknown, schema: Schema): string | null {
	if (issue.code === "custom") return typeof issue.params?.["fix"] === "string" ? issue.params["fix"] : null;
	const found = schemaAt(schema, issue.path);
	const { fix, unit, valueType, examples } = found ? metaOf(found) : {};
	if (written === null && Array.isArray(examples) && typeof examples[0] !== "object") return `Write for example ${String(examples[0])}.`;
	if (written === undefined) return typeof fix === "string" ? fix : null;
	if (issue.code === "invalid_value") {
		const near = nearestName(String(written), issue.values.map(String));
		return near === null ? null : `Did you mean ${near}?`;
	}
	if (issue.code !== "invalid_type") return null;
	const leading = typeof written === "string" ? /^\d+(\.\d+)?/.exec(written)?.[0] : undefined;
	if (issue.expected === "number" && leading !== undefined && typeof unit === "string") return `Write ${leading}; the unit is ${unit}.`;
	if (valueType === "duration" && typeof written === "number") return `Write ${written}s, ${written}m or ${written}h.`;
	if (issue.expected === "array" && typeof written === "string") return `Write [${written.slice(0, 60)}].`;
	return null;
}

/** What the issue requires of the value. Messages set by the schema are used as they are. */
function ruleOf(issue: z.core.$ZodIssue): string {
	if (!/^(Invalid|Too) /.test(issue.message)) return issue.message;
	switch (issue.code) {
		case "invalid_value":
			return issue.values.length === 1 ? `must be ${String(issue.values[0])}` : `must be one of ${issue.values.map(String).join(", ")}`;
		case "too_small":
			return sizeRule(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum);
		case "too_big":
			return sizeRule(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum);
		case "invalid_type":
			return `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
		default:
			return issue.message;
	}
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
	string: "text",
	number: "a number",
	int: "a whole number",
	boolean: "true or false",
	array: "a list",
	object: "a set of fields",
	record: "a set of fields",
};

function sizeRule(origin: string, bound: string, size: number | bigint): string {
	if (origin === "string") return `must have ${bound} ${size} ${size === 1 ? "character" : "characters"}`;
	if (origin === "array") return `must have ${bound} ${size} ${size === 1 ? "entry" : "entries"}`;
	return `must be ${bound} ${size}`;
}

/** The value, shortened. Values that JSON cannot represent (a cycle, a bigint) are shown by type. */
function format(given: unknown): string {
	try {
		return JSON.stringify(given)?.slice(0, 80) ?? typeof given;
	} catch {
		return typeof given;
	}
}

/** Keys named `__proto__` at any depth. Schemas and object copies drop them silently, so they are reported. */
export function protoKeys(document: unknown): PathProblem[] {
	const problems: PathProblem[] = [];
	const seen = new Set<object>();
	const open: { value: unknown; at: PropertyKey[] }[] = [{ value: document, at: [] }];
	for (let next = open.pop(); next; next = open.pop()) {
		const { value, at } = next;
		if (value === null || typeof value !== "object" || seen.has(value) || at.length > 8) continue;
		seen.add(value);
		for (const key of Object.keys(value)) {
			const path = [...at, key];
			if (key === "__proto__")
				problems.push({ path: path.map(String).join("."), message: "is a reserved name", fix: "Rename it.", at: path, isKey: true });
			else open.push({ value: Reflect.get(value, key), at: path });
		}
	}
	return problems;
}

/** Adds line and column of the key or value, or of the nearest enclosing node that exists. */
export function locateProblem(problem: PathProblem, doc: Document, lines: LineCounter): FieldProblem {
	const offset = offsetOf(problem, doc);
	if (offset === null) return problem;
	const { line, col } = lines.linePos(offset);
	return { ...problem, line, column: col };
}

/** The first MAX_PROBLEMS problems with their line and column. */
export function locateProblems(problems: readonly PathProblem[], doc: Document, lines: LineCounter): FieldProblem[] {
	return problems.slice(0, MAX_PROBLEMS).map((problem) => ({ ...locateProblem(problem, doc, lines), message: withFix(problem) }));
}

/** Where the key or value of a problem starts, or the nearest enclosing node that exists. */
export function offsetOf({ at, isKey }: Pick<PathProblem, "at" | "isKey">, doc: Document): number | null {
	return isKey ? (keyOffset(doc, at) ?? valueOffset(doc, at)) : valueOffset(doc, at);
}

function keyOffset(doc: Document, at: readonly PropertyKey[]): number | null {
	const parent = at.length === 1 ? doc.contents : doc.getIn(at.slice(0, -1), true);
	if (!isMap(parent)) return null;
	const pair = parent.items.find((p) => isScalar(p.key) && String(p.key.value) === at.at(-1));
	return pair && isNode(pair.key) ? (pair.key.range?.[0] ?? null) : null;
}

function valueOffset(doc: Document, at: readonly PropertyKey[]): number | null {
	for (let depth = at.length; depth >= 0; depth--) {
		const node = depth === 0 ? doc.contents : doc.getIn(at.slice(0, depth), true);
		if (isNode(node) && node.range) return node.range[0];
	}
	return null;
}
