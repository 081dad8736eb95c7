import { checkNames, type ExpressionProblem, type ExpressionScope, type KnownNames } from "./check-names.ts";
import { environment } from "./expression-environment.ts";
import { EXPRESSION_LIMITS, POLICY_LIMITS } from "./limits.ts";

/** Everything that is wrong with a condition, found without evaluating it. Pure; never throws. */
export function checkExpression(text: string, scope: ExpressionScope, known: KnownNames = {}): ExpressionProblem[] {
	if (text.length > POLICY_LIMITS.expressionCharacters) {
		const message = `The condition has ${text.length} characters; at most ${POLICY_LIMITS.expressionCharacters} are allowed.`;
		return [{ severity: "error", offset: 0, message, fix: "Split it into several rules." }];
	}
	if (text.trim() === "")
		return [{ severity: "error", offset: 0, message: "The condition is empty.", fix: 'Omit "when" for a rule that always applies.' }];
	let parsed: ReturnType<typeof environment.parse>;
	try {
		parsed = environment.parse(text);
	} catch (error) {
		return [syntaxProblem(error, text)];
	}
	const problems = checkNames(parsed.ast, scope, known);
	if (problems.some((p) => p.severity === "error")) return problems;
	const checked = parsed.check();
	if (!checked.valid) return [...problems, typeProblem(checked.error)];
	if (checked.type !== "bool") {
		const message = `The condition is ${inWords(checked.type ?? "dyn")}, not true or false.`;
		return [
			...problems,
			{ severity: "error", offset: 0, message, fix: 'Compare it with something, for example job.class == "sensitive".' },
		];
	}
	return problems;
}

interface PositionedError {
	code: string;
	summary: string;
	range?: { start: number; end: number };
}

/** Exceptions of the parser and the type checker carry these fields; others (stack overflow) do not. */
function positioned(error: unknown): PositionedError {
	if (error instanceof Error && "summary" in error && "code" in error) return error as Error & PositionedError;
	return { code: "unreadable", summary: error instanceof Error ? error.message : "unreadable" };
}

function syntaxProblem(error: unknown, text: string): ExpressionProblem {
	const { code, summary, range } = positioned(error);
	const offset = Math.min(range?.start ?? 0, text.length);
	const at = (message: string, fix: string | null): ExpressionProblem => ({ severity: "error", offset, message, fix });
	const rest = text.slice(offset);
	if (code.startsWith("limit") || /limit|exceed/i.test(summary)) {
		return at(
			`The condition is too large: ${summary}.`,
			`At most ${EXPRESSION_LIMITS.maxAstNodes} parts, ${EXPRESSION_LIMITS.maxDepth} deep. Split it into several rules.`,
		);
	}
	if (/^=[^=]/.test(rest)) return at("One = does not compare.", "Write == to compare.");
	if (/^&[^&]|^&$/.test(rest)) return at("One & does not join conditions.", "Write && between conditions.");
	if (/^\|[^|]|^\|$/.test(rest)) return at("One | does not join conditions.", "Write || between conditions.");
	if (/EOF/.test(summary)) return at("The condition ends too early.", "Add the missing value, quote or bracket at its end.");
	if (/^and\b/i.test(rest)) return at('"and" is not an operator.', "Write && between conditions.");
	if (/^or\b/i.test(rest)) return at('"or" is not an operator.', "Write || between conditions.");
	return at(`The condition cannot be read: ${summary}.`, null);
}

const OVERLOAD = /^no such overload: (.+?) (==|!=|<=|>=|<|>|in|\+|-|\*|\/|%) (.+)$/;

function typeProblem(error: unknown): ExpressionProblem {
	const { summary, range } = positioned(error);
	const overload = OVERLOAD.exec(summary);
	const message = overload
		? `${overload[2]} cannot be used between ${inWords(overload[1] ?? "")} and ${inWords(overload[3] ?? "")}.`
		: `The types do not match: ${summary}.`;
	const quotes = overload && /string/.test(`${overload[1]}${overload[3]}`) && overload[2] !== "in";
	const decimals = !overload && /'int'/.test(summary) && /'double'/.test(summary);
	const fix = quotes ? 'Put text in quotes: "eu".' : decimals ? "Write whole numbers with a decimal point here, for example 1.0." : null;
	return { severity: "error", offset: range?.start ?? 0, message, fix };
}

const WORDS: Readonly<Record<string, string>> = {
	string: "a text",
	int: "a number",
	double: "a number",
	bool: "true or false",
	null: "null",
	Job: "a whole job",
	Quote: "a whole quote",
	dyn: "something unknown",
};

function inWords(type: string): string {
	if (type.startsWith("list")) return "a list";
	if (type.startsWith("map")) return "a map";
	return WORDS[type] ?? type;
}
