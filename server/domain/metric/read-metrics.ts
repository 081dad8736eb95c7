/** Metrics reported by a line of output. */
export interface LineMetrics {
	/** Null when the line has none; its line number then counts. */
	step: number | null;
	values: Record<string, number>;
}

/** A compiled pattern of a job file. `json`: lines that are JSON objects. */
export type MetricReader = (text: string) => LineMetrics | null;

export const METRIC_NAME = /^[A-Za-z_][\w./-]{0,99}$/;
const PLACEHOLDER = /\{([^{}]*)\}/g;
const NUMBER = "([-+]?(?:\\d{1,20}(?:\\.\\d{0,20})?|\\.\\d{1,20})(?:[eE][-+]?\\d{1,3})?|nan|[-+]?inf)";
/** Longer lines are not read. */
const LINE_CHARACTERS = 4_096;
const STEP_NAMES: readonly string[] = ["step", "global_step", "iteration", "epoch"];

/** Why a pattern is invalid; null when it is valid. */
export function patternProblem(pattern: string): string | null {
	if (pattern === "json") return null;
	const names = [...pattern.matchAll(PLACEHOLDER)].map(([, name]) => name ?? "");
	if (names.length === 0) return "must name a metric, for example loss={loss}, or be json";
	const wrong = names.find((name) => !METRIC_NAME.test(name));
	if (wrong !== undefined) return `{${wrong}} is not a metric name: use letters, digits, _ . / and -`;
	if (new Set(names).size !== names.length) return "names a metric twice";
	if (names.every((name) => name === "step")) return "needs a metric besides {step}";
	return /\}\s*\{/.test(pattern) ? "needs text between two metrics" : null;
}

/**
 * Compiles a pattern: `{name}` is a number, runs of spaces match any spaces, and all other text is literal. Matching
 * never backtracks, so it is linear in the line.
 */
export function compileMetricPattern(pattern: string): MetricReader {
	if (pattern === "json") return readJsonLine;
	const names: string[] = [];
	const source = pattern
		.split(/(\{[^{}]*\}|\s+)/)
		.map((part) => {
			if (/^\{.*\}$/.test(part)) {
				names.push(part.slice(1, -1));
				return NUMBER;
			}
			return /^\s+$/.test(part) ? "\\s+" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
		})
		.join("");
	const expression = new RegExp(source, "i");
	return (text) => {
		const found = text.length <= LINE_CHARACTERS ? expression.exec(text) : null;
		if (!found) return null;
		return separateStep(names.map((name, at) => [name, numberOf(found[at + 1] ?? "")]));
	};
}

function readJsonLine(text: string): LineMetrics | null {
	const trimmed = text.trim();
	if (!trimmed.startsWith("{") || !trimmed.endsWith("}") || trimmed.length > LINE_CHARACTERS) return null;
	let value: unknown;
	try {
		value = JSON.parse(trimmed);
	} catch {
		return null;
	}
	if (value === null || typeof value !== "object") return null;
	const numbers = Object.entries(value).filter(
		(entry): entry is [string, number] => typeof entry[1] === "number" && METRIC_NAME.test(entry[0]),
	);
	const step = STEP_NAMES.find((name) => numbers.some(([key]) => key === name));
	return separateStep(numbers.map(([name, number]) => [name === step ? "step" : name, number]));
}

function separateStep(numbers: readonly (readonly [string, number])[]): LineMetrics | null {
	const values = Object.fromEntries(numbers.filter(([name, value]) => name !== "step" && Number.isFinite(value)));
	const step = numbers.find(([name]) => name === "step")?.[1];
	if (Object.keys(values).length === 0) return null;
	return { step: step !== undefined && Number.isSafeInteger(Math.floor(step)) ? Math.floor(step) : null, values };
}

function numberOf(text: string): number {
	if (/inf$/i.test(text)) return text.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
	return Number(text);
}
