import { checkExpression } from "./check-expression.ts";
import { environment } from "./expression-environment.ts";
import type { JobFacts, QuoteFacts } from "./job-facts.ts";
import { POLICY_LIMITS } from "./limits.ts";

/**
 * The result of a condition. With an `error` it could not be evaluated (a label that the job does not have, a division
 * by 0). Every caller then takes the strict side: places are excluded, bursts do not happen, approvals are required.
 */
export type Evaluation = { holds: boolean; error: null } | { holds: null; error: string };

const HOLDS: Evaluation = { holds: true, error: null };
const DOES_NOT_HOLD: Evaluation = { holds: false, error: null };

type Program = (context: { job: JobFacts; quote?: QuoteFacts }) => Evaluation;

/** Compiled conditions by their text: a program depends only on its text, so sharing is safe. */
const programs = new Map<string, Program>();
let characters = 0;

/**
 * Evaluates a condition (null: always holds). Never throws: a text that does not even compile gives an evaluation with
 * an error.
 */
export function evaluateExpression(text: string | null, context: { job: JobFacts; quote?: QuoteFacts }): Evaluation {
	if (text === null) return HOLDS;
	let program = programs.get(text);
	if (!program) {
		program = compile(text);
		if (characters > POLICY_LIMITS.compiledCharacters) {
			programs.clear();
			characters = 0;
		}
		programs.set(text, program);
		characters += text.length;
	}
	return program(context);
}

function compile(text: string): Program {
	const wrong = checkExpression(text, "job_and_quote").find((p) => p.severity === "error");
	if (wrong) {
		const failed: Evaluation = { holds: null, error: wrong.message };
		return () => failed;
	}
	const parsed = environment.parse(text);
	parsed.check();
	return (context) => {
		try {
			const value: unknown = parsed(context);
			if (typeof value === "boolean") return value ? HOLDS : DOES_NOT_HOLD;
			return { holds: null, error: "the condition is neither true nor false" };
		} catch (error) {
			return { holds: null, error: summaryOf(error) };
		}
	};
}

/** The evaluator's message without the source excerpt below it, which would not fit into a fact. */
function summaryOf(error: unknown): string {
	const message = error instanceof Error ? error.message : String(error);
	return (message.split("\n", 1)[0] ?? message).slice(0, 200);
}
