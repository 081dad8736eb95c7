import type { FieldErrors } from "#components/page/field-errors.ts";
import type { Outputs } from "#components/trpc/outputs.ts";

export type Parameter = Outputs["template"]["get"]["parameters"][number];

type Value = string | number | boolean;

/** State of the form: texts as typed, by parameter. */
export type ParameterValues = Readonly<Record<string, string>>;

export function initialValues(parameters: readonly Parameter[]): ParameterValues {
	return Object.fromEntries(parameters.map((parameter) => [parameter.name, initialValue(parameter)]));
}

function initialValue({ type, default: given }: Parameter): string {
	if (given !== null) return String(given);
	return type === "boolean" ? "false" : "";
}

/**
 * The parameters to send: numbers and booleans as such; an invalid one stays text, so that the server explains it.
 * Empty values are left out and take their default.
 */
export function parametersOf(parameters: readonly Parameter[], values: ParameterValues): Record<string, Value> {
	return Object.fromEntries(
		parameters.flatMap(({ name, type }): [string, Value][] => {
			const text = values[name] ?? "";
			if (text === "") return [];
			if (type === "boolean") return [[name, text === "true"]];
			const number = Number(text);
			return [[name, type === "number" && Number.isFinite(number) ? number : text]];
		}),
	);
}

/** Names of required parameters without a value. */
export function missingOf(parameters: readonly Parameter[], values: ParameterValues): string[] {
	return parameters.filter(({ name, default: given }) => given === null && (values[name] ?? "") === "").map(({ name }) => name);
}

/** The server's message for a parameter. */
export function parameterError(errors: FieldErrors, name: string): string | undefined {
	return errors[`spec.parameters.${name}`] ?? errors[`parameters.${name}`];
}
