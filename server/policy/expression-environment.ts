import { Environment } from "@marcbachmann/cel-js";
import { type FactField, JOB_FIELDS, JobFacts, QUOTE_FIELDS, QuoteFacts } from "./job-facts.ts";
import { EXPRESSION_LIMITS } from "./limits.ts";

/**
 * Functions and methods that a policy may call. CEL has more. Excluded: functions that depend on the machine (time zones), that
 * can take very long on a short text (`matches`, a backtracking regular expression), and that can grow without bound
 * (`cel.bind`, `map`).
 */
export const FUNCTIONS = ["has", "size", "int", "double", "string", "bool"] as const;
export const METHODS = [
	"contains",
	"startsWith",
	"endsWith",
	"size",
	"lowerAscii",
	"upperAscii",
	"trim",
	"exists",
	"exists_one",
	"all",
	"filter",
] as const;
/** Methods with a first argument that names a variable for the second. */
export const LOOPS: readonly string[] = ["exists", "exists_one", "all", "filter"];

/**
 * Sound mixing of whole and decimal numbers. CEL compares int with double by <, <=, > and >= but rejects `==`, arithmetic and
 * `in` between them, which authors of `job.gpus == 4` would not expect. So every field is a double, and a whole number next to
 * one is read as a double; values stay far below 2^53, where that would round.
 */
export function allowMixedNumbers(env: Environment): void {
	const arithmetic: [string, (a: number, b: number) => number][] = [
		["+", (a, b) => a + b],
		["-", (a, b) => a - b],
		["*", (a, b) => a * b],
		["/", (a, b) => a / b],
		["%", (a, b) => a % b],
	];
	for (const [op, apply] of arithmetic) {
		env.registerOperator(`double ${op} int: double`, (a: number, b: bigint) => apply(a, Number(b)));
		env.registerOperator(`int ${op} double: double`, (a: bigint, b: number) => apply(Number(a), b));
	}
	env.registerOperator("double % double: double", (a: number, b: number) => a % b);
	env.registerOperator("double == int", (a: number, b: bigint) => a === Number(b));
	env.registerOperator("double in list<int>: bool", (a: number, list: bigint[]) => list.some((b) => a === Number(b)));
	env.registerOperator("int in list<double>: bool", (a: bigint, list: number[]) => list.includes(Number(a)));
}

function typesOf(fields: Readonly<Record<string, FactField>>): Record<string, string> {
	return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.type]));
}

function createEnvironment(): Environment {
	const env = new Environment({ limits: EXPRESSION_LIMITS });
	env.registerType("Job", { ctor: JobFacts, fields: typesOf(JOB_FIELDS) });
	env.registerType("Quote", { ctor: QuoteFacts, fields: typesOf(QUOTE_FIELDS) });
	env.registerVariable("job", "Job");
	env.registerVariable("quote", "Quote");
	allowMixedNumbers(env);
	return env;
}

export const environment: Environment = createEnvironment();
