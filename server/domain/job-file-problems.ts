import { type Document, isMap, isNode, isScalar, type LineCounter } from "yaml";
import type { z } from "zod";
import { type FieldProblem, SpillwayError } from "../kernel/errors.ts";
import { didYouMean } from "../kernel/nearest-name.ts";

/** Reported at most: a document that is wrong throughout must not answer with a longer one. */
export const MOST_PROBLEMS = 50;

/** A problem with the path to its field, by which its place in a text is found. */
export interface PathProblem extends FieldProblem {
	at: readonly PropertyKey[];
	/** The key itself is what is wrong, not its value. */
	isKey: boolean;
}

export function invalidJob(problems: readonly FieldProblem[]): SpillwayError {
	const fields = problems.slice(0, MOST_PROBLEMS).map(({ path, message, line, column }) => ({
		path,
		message,
		...(line === undefined || column === undefined ? {} : { line, column }),
	}));
	const first = fields[0];
	const where = first ? `${first.path || "the document"}: ${first.message}` : "unreadable";
	const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
	return new SpillwayError("invalid_input", `The job is not valid. ${where}${more}`, {
		fields,
		fix: "Correct the named fields; docs/job-file.md lists all of them.",
	});
}

/** A schema's issue as problems: which field, what was given, what is allowed. `known` names the fields of the object at a path. */
export function problemsOf(issue: z.core.$ZodIssue, document: unknown, known: (path: string) => readonly string[]): PathProblem[] {
	const path = issue.path.map(String).join(".");
	if (issue.code === "unrecognized_keys") {
		return issue.keys.slice(0, MOST_PROBLEMS).map((key) => ({
			path: path ? `${path}.${key}` : key,
			message: `there is no such field. ${didYouMean(key, known(path))}`,
			at: [...issue.path, key],
			isKey: true,
		}));
	}
	const given = issue.path.reduce<unknown>(
		(v, key) => (v !== null && typeof v === "object" ? (v as Record<PropertyKey, unknown>)[key] : undefined),
		document,
	);
	return [{ path, message: messageOf(issue, given), at: issue.path, isKey: issue.code === "invalid_key" }];
}

function messageOf(issue: z.core.$ZodIssue, given: unknown): string {
	if (issue.code === "custom") return issue.message;
	if (given === undefined) return issue.code === "invalid_value" ? `is required; ${issue.message}` : "is required";
	if (issue.code === "invalid_key") return issue.issues[0]?.message ?? issue.message;
	return `${issue.message}, got ${shown(given)}`;
}

/** What was given, in short. What JSON cannot say (a loop, a bigint) is named by its type. */
function shown(given: unknown): string {
	try {
		return JSON.stringify(given)?.slice(0, 80) ?? typeof given;
	} catch {
		return typeof given;
	}
}

/**
 * Keys named `__proto__` at any depth: schemas and object copies drop them silently, and nothing that was written may be
 * dropped silently.
 */
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
				problems.push({ path: path.map(String).join("."), message: "this name cannot be used", at: path, isKey: true });
			else open.push({ value: Reflect.get(value, key), at: path });
		}
	}
	return problems;
}

/**
 * Environment values that YAML would change: `1.10` is the number 1.1, `007` is 7 and `True` is true. The command would
 * get another text than was written.
 */
export function changedEnvValues(doc: Document): PathProblem[] {
	const env = doc.getIn(["spec", "env"], true);
	if (!isMap(env)) return [];
	return env.items.flatMap((pair) => {
		if (!isScalar(pair.key) || !isScalar(pair.value)) return [];
		const { value, source } = pair.value;
		if ((typeof value !== "number" && typeof value !== "boolean") || source === undefined || source === String(value)) return [];
		const key = String(pair.key.value);
		const message = `${source} would be read as ${String(value)}; write it in quotes: "${source}"`;
		return [{ path: `spec.env.${key}`, message, at: ["spec", "env", key], isKey: false }];
	});
}

/** Line and column of a problem's key or value, or of the nearest thing around it that is there. */
export function placeOf(problem: PathProblem, doc: Document, lines: LineCounter): FieldProblem {
	const offset = problem.isKey ? (keyOffset(doc, problem.at) ?? valueOffset(doc, problem.at)) : valueOffset(doc, problem.at);
	if (offset === null) return problem;
	const { line, col } = lines.linePos(offset);
	return { ...problem, line, column: col };
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
