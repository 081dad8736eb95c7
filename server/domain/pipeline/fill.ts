import type { Scalar } from "./pipeline.ts";

/** Names and values available to `${{ … }}`: `parameters.epochs`, `matrix.rate`, `item`, `trial.rate`. */
export type Values = ReadonlyMap<string, Scalar>;

export interface FillProblem {
	at: PropertyKey[];
	message: string;
	/** The unknown name. */
	name: string;
}

const PLACE = /\$\{\{([^{}]*)\}\}/g;
const WHOLE = /^\$\{\{([^{}]*)\}\}$/;

/** Job fields that only hold text: numbers in them are formatted as text. */
export const TEXTS: ReadonlySet<string> = new Set(["command", "env"]);

function hasPlaces(text: string): boolean {
	return text.includes("${{");
}

/**
 * Copies a document value with every `${{ name }}` replaced. A text that consists of one placeholder becomes the value
 * itself, so that numbers stay numbers; in a command or environment it stays text. Unknown names are added to
 * `problems`.
 */
export function fill(value: unknown, values: Values, problems: FillProblem[], at: PropertyKey[] = []): unknown {
	if (typeof value === "string") {
		const filled = fillText(value, values, problems, at);
		return TEXTS.has(String(at[0])) ? String(filled) : filled;
	}
	if (Array.isArray(value)) return value.map((item, index) => fill(item, values, problems, [...at, index]));
	if (value === null || typeof value !== "object") return value;
	return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, values, problems, [...at, key])]));
}

function fillText(text: string, values: Values, problems: FillProblem[], at: PropertyKey[]): Scalar {
	if (!hasPlaces(text)) return text;
	const read = (written: string): Scalar => {
		const name = written.trim();
		const found = values.get(name);
		if (found === undefined) problems.push({ at, name, message: `uses ${name === "" ? "an empty name" : name}, which is not defined` });
		return found ?? "";
	};
	const whole = WHOLE.exec(text)?.[1];
	return whole !== undefined ? read(whole) : text.replaceAll(PLACE, (_all, name: string) => String(read(name)));
}
