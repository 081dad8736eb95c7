import { type ASTNode, Environment } from "@marcbachmann/cel-js";
import type { Holds, NeedFacts } from "#server/domain/pipeline/advance.ts";
import type { CheckCondition } from "#server/domain/pipeline/pipeline-file.ts";
import { allowMixedNumbers, FUNCTIONS, METHODS } from "./expression-environment.ts";
import { EXPRESSION_LIMITS } from "./limits.ts";
import { nodesIn } from "./syntax-tree.ts";

/** Fields of each needed step that a step's condition may read, as `needs.NAME` or `needs["NAME"]`. */
export const NEED_FIELDS: Readonly<Record<keyof NeedFacts, { type: "string" | "double" | "map<string, double>"; meaning: string }>> = {
	state: { type: "string", meaning: "succeeded, failed, skipped or cancelled" },
	exit: { type: "double", meaning: "highest exit code of its runs" },
	runs: { type: "double", meaning: "number of its runs" },
	succeeded: { type: "double", meaning: "runs that succeeded" },
	failed: { type: "double", meaning: "runs that failed" },
	skipped: { type: "double", meaning: "runs that were skipped" },
	min: { type: "map<string, double>", meaning: "lowest of the runs' last values, by metric" },
	max: { type: "map<string, double>", meaning: "highest of the runs' last values, by metric" },
	results: { type: "map<string, double>", meaning: "GiB of all runs, by result" },
};

/** Whether a condition reads more than how the runs ended. */
export function readsReports(when: string | null): boolean {
	return when !== null && /\b(?:min|max|results)\b/.test(when);
}

/** A class, so that the evaluator knows its fields. */
class Need implements NeedFacts {
	readonly state: NeedFacts["state"];
	readonly exit: number;
	readonly runs: number;
	readonly succeeded: number;
	readonly failed: number;
	readonly skipped: number;
	readonly min: NeedFacts["min"];
	readonly max: NeedFacts["max"];
	readonly results: NeedFacts["results"];
	constructor(facts: NeedFacts) {
		this.state = facts.state;
		this.exit = facts.exit;
		this.runs = facts.runs;
		this.succeeded = facts.succeeded;
		this.failed = facts.failed;
		this.skipped = facts.skipped;
		this.min = facts.min;
		this.max = facts.max;
		this.results = facts.results;
	}
}

const environment = createEnvironment();

function createEnvironment(): Environment {
	const env = new Environment({ limits: EXPRESSION_LIMITS });
	const fields = Object.fromEntries(Object.entries(NEED_FIELDS).map(([name, { type }]) => [name, type]));
	env.registerType("Need", { ctor: Need, fields });
	env.registerVariable("needs", "map<string, Need>");
	allowMixedNumbers(env);
	return env;
}

type Program = (context: { needs: Record<string, Need> }) => unknown;
/** Compiled conditions by their text; the cache is cleared when it is full. */
const programs = new Map<string, Program>();
const PROGRAMS_MAX = 1_000;

/** Evaluates a step's condition. Never throws: `holds` is null when it cannot be evaluated. */
export const stepConditionHolds: Holds = (text, needs) => {
	try {
		let program = programs.get(text);
		if (!program) {
			program = environment.parse(text) as unknown as Program;
			if (programs.size >= PROGRAMS_MAX) programs.clear();
			programs.set(text, program);
		}
		const value = program({ needs: Object.fromEntries(Object.entries(needs).map(([name, facts]) => [name, new Need(facts)])) });
		return typeof value === "boolean" ? { holds: value, error: null } : { holds: null, error: "it is neither true nor false" };
	} catch (error) {
		return { holds: null, error: firstLine(error) };
	}
};

/** All problems of a step's condition, including one that can never hold. */
export const checkStepCondition: CheckCondition = (text, needs) => {
	let parsed: ReturnType<typeof environment.parse>;
	try {
		parsed = environment.parse(text);
	} catch (error) {
		return [{ message: `cannot be read: ${firstLine(error)}`, fix: 'Write for example needs.train.state == "succeeded".' }];
	}
	const checked = parsed.check();
	if (!checked.valid) return [{ message: `is invalid: ${firstLine(checked.error)}`, fix: fieldsFix() }];
	if (checked.type !== "bool") return [{ message: "must be true or false", fix: "Compare it with something." }];
	const named = namedNeeds(text, needs);
	if ("problem" in named) return [named.problem];
	const unknown = forbiddenCall(parsed.ast);
	if (unknown !== null)
		return [{ message: `calls ${unknown}, which is not available`, fix: `Use one of: ${[...FUNCTIONS, ...METHODS].join(", ")}.` }];
	return canHold(text, needs, named.read)
		? []
		: [{ message: "can never hold, so the step would never run", fix: "Correct it, or remove the step." }];
};

function fieldsFix(): string {
	return `A needed step has: ${Object.keys(NEED_FIELDS).join(", ")}.`;
}

function firstLine(error: unknown): string {
	const message = error instanceof Error ? error.message : String(error);
	return (message.split("\n", 1)[0] ?? message).slice(0, 200);
}

/** Needed steps named in the condition. */
function namedNeeds(text: string, needs: readonly string[]): { read: string[] } | { problem: { message: string; fix: string } } {
	const read = new Set<string>();
	for (const [, dotted, quoted] of text.matchAll(/\bneeds\s*(?:\.\s*([A-Za-z_]\w*)|\[\s*["']([^"']*)["']\s*\])/g)) {
		const name = dotted ?? quoted ?? "";
		if (needs.includes(name)) read.add(name);
		else if (!(dotted !== undefined && ((METHODS as readonly string[]).includes(dotted) || dotted === "size")))
			return { problem: { message: `reads ${name}, which the step does not need`, fix: `Add ${name} to needs.` } };
	}
	return { read: [...read] };
}

/** The first disallowed function in the condition; null if there is none. */
function forbiddenCall(root: ASTNode): string | null {
	for (const node of [root, ...nodesBelow(root)]) {
		if (node.op === "call" && !(FUNCTIONS as readonly string[]).includes(node.args[0])) return node.args[0];
		if (node.op === "rcall" && !(METHODS as readonly string[]).includes(node.args[0])) return node.args[0];
	}
	return null;
}

function nodesBelow(node: ASTNode): ASTNode[] {
	return nodesIn(node).flatMap((child) => [child, ...nodesBelow(child)]);
}

/** Maximum number of steps tried in all combinations; a condition over more is assumed possible. */
const TRIED_NEEDS = 4;

/** Whether some outcome of the needed steps makes the condition true. Tries the exit codes that the text compares with; any report is possible. */
function canHold(text: string, needs: readonly string[], read: readonly string[]): boolean {
	if (read.length > TRIED_NEEDS || readsReports(text)) return true;
	const codes = [
		...new Set([1, 2, ...[...text.matchAll(/\d+/g)].flatMap(([digits]) => [Number(digits) - 1, Number(digits), Number(digits) + 1])]),
	];
	const ends: NeedFacts[] = [0, ...codes].flatMap((n) => endsWith(Math.max(0, n)));
	const succeeded = endsWith(0)[0] as NeedFacts;
	const base = Object.fromEntries(needs.map((name) => [name, succeeded]));
	const tryFrom = (at: number, facts: Record<string, NeedFacts>): boolean => {
		const name = read[at];
		if (name === undefined) return stepConditionHolds(text, facts).holds !== false;
		return ends.some((end) => tryFrom(at + 1, { ...facts, [name]: end }));
	};
	return ends.length ** Math.max(1, read.length) > 20_000 || tryFrom(0, base);
}

function endsWith(n: number): NeedFacts[] {
	const none = { exit: 0, runs: 1, succeeded: 0, failed: 0, skipped: 0, min: {}, max: {}, results: {} };
	return [
		{ ...none, state: "succeeded", runs: Math.max(1, n), succeeded: Math.max(1, n) },
		{ ...none, state: "failed", exit: n, runs: Math.max(1, n), failed: Math.max(1, n) },
		{ ...none, state: "failed", exit: 1, runs: n + 1, failed: 1, succeeded: n },
		{ ...none, state: "skipped", skipped: 1 },
		{ ...none, state: "cancelled" },
	];
}
