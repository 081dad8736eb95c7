import type { Completion } from "./completion.ts";
import { FUNCTIONS, LOOPS, METHODS } from "./expression-environment.ts";
import { type FactField, JOB_FIELDS, QUOTE_FIELDS } from "./job-facts.ts";
import { POLICY_LIMITS } from "./limits.ts";

const METHODS_OF: Record<FactField["type"], readonly string[]> = {
	string: ["contains", "startsWith", "endsWith", "size", "lowerAscii", "upperAscii", "trim"],
	"list<string>": ["exists", "exists_one", "all", "filter", "size"],
	"map<string, string>": ["size"],
	double: [],
	bool: [],
};
const UNIT: Readonly<Record<string, string>> = {
	dataGiB: "GiB",
	estimateHours: "hours",
	maxHours: "hours",
	gpus: "GPUs",
	gpusPerNode: "GPUs",
	nodes: "nodes",
	costUsd: "USD",
	hourlyUsd: "USD an hour",
};
const ROOTS = { job: JOB_FIELDS, quote: QUOTE_FIELDS } as const;

/** Completions at the end of an unfinished condition; `from` counts from its start. */
export function completeExpression(
	text: string,
	{ teams, quote }: { teams: readonly string[]; quote: boolean },
): { from: number; items: Completion[] } {
	// A longer expression is rejected, so it gets no completions.
	if (text.length > POLICY_LIMITS.expressionCharacters) return { from: text.length, items: [] };
	const open = openText(text);
	if (open !== null) return { from: open + 1, items: valuesFor(text.slice(0, open), teams, false) };
	const word = /[A-Za-z_][\w]*$/.exec(text)?.[0] ?? "";
	const from = text.length - word.length;
	const before = text.slice(0, from);
	const method = /\b(job|quote)\.(\w+)\.$/.exec(before);
	if (method) return { from, items: methodsOf(method[1] ?? "", method[2] ?? "") };
	const root = /\b(job|quote)\.$/.exec(before)?.[1];
	if (root === "job" || (root === "quote" && quote)) return { from, items: namesOf(root, "") };
	if (before.endsWith(".")) return { from, items: [] };
	const values = valuesFor(before, teams, true);
	if (values.length > 0) return { from, items: values };
	return { from, items: [...namesOf("job", "job."), ...(quote ? namesOf("quote", "quote.") : []), ...functions()] };
}

/** Start of the unclosed text; null outside one. */
function openText(text: string): number | null {
	let open: { at: number; quote: string } | null = null;
	for (let i = 0; i < text.length; i++) {
		const each = text[i] ?? "";
		if (each === "\\") i++;
		else if (open === null && (each === '"' || each === "'")) open = { at: i, quote: each };
		else if (open?.quote === each) open = null;
	}
	return open?.at ?? null;
}

/** The values for the field being compared: classes, capacity types, teams. */
function valuesFor(before: string, teams: readonly string[], quoted: boolean): Completion[] {
	const compared = /\b(job|quote)\.(\w+)\s*(?:==|!=|in\s*\[(?:[^\]]*,)?)\s*$/.exec(before);
	const root = compared?.[1];
	const name = compared?.[2] ?? "";
	if (root !== "job" && root !== "quote") return [];
	const fields: Readonly<Record<string, FactField>> = ROOTS[root];
	const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
	const values = name === "team" && root === "job" ? teams : (field?.values?.filter((value) => value !== "") ?? []);
	const detail = name === "team" ? "team" : (field?.meaning ?? "");
	return values.map((value) => ({ label: value, kind: "value", detail, info: null, insert: quoted ? `"${value}"` : value }));
}

function namesOf(root: "job" | "quote", prefix: string): Completion[] {
	return Object.entries<FactField>(ROOTS[root]).map(([name, field]) => ({
		...{ label: `${prefix}${name}`, kind: "name" as const, insert: `${prefix}${name}` },
		detail: UNIT[name] ? `number, ${UNIT[name]}` : typeName(field.type),
		info: field.values ? `${field.meaning}: ${field.values.filter((v) => v !== "").join(", ")}` : field.meaning,
	}));
}

function typeName(type: FactField["type"]): string {
	return {
		string: "text",
		double: "number",
		bool: "true or false",
		"list<string>": "list of texts",
		"map<string, string>": "texts by name",
	}[type];
}

function methodsOf(root: string, name: string): Completion[] {
	if (root !== "job" && root !== "quote") return [];
	const fields: Readonly<Record<string, FactField>> = ROOTS[root];
	const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
	if (!field) return [];
	return METHODS_OF[field.type]
		.filter((method) => (METHODS as readonly string[]).includes(method))
		.map((method) => {
			const insert = LOOPS.includes(method)
				? `${method}(x, x == "`
				: method === "size" || /Ascii|trim/.test(method)
					? `${method}()`
					: `${method}("`;
			return { label: method, kind: "function", detail: typeName(field.type), info: null, insert };
		});
}

function functions(): Completion[] {
	return FUNCTIONS.map((name) => ({ label: name, kind: "function", detail: "function", info: null, insert: `${name}(` }));
}
