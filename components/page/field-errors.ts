/** Messages by field path. */
export type FieldErrors = Readonly<Record<string, string>>;

/** The wrong fields that a tRPC error names (`data.problem.fields`), by path. Empty for any other error. */
export function fieldErrorsOf(error: unknown): FieldErrors {
	const fields = get(get(get(error, "data"), "problem"), "fields");
	if (!Array.isArray(fields)) return {};
	return Object.fromEntries(
		fields.flatMap((field: unknown) => {
			const path = get(field, "path");
			const message = get(field, "message");
			return typeof path === "string" && path !== "" && typeof message === "string" ? [[path, message]] : [];
		}),
	);
}

function get(value: unknown, name: string): unknown {
	return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
