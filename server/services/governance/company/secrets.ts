/** Values of the file's secret references, by reference. */
export type Secrets = Readonly<Record<string, string>>;

/** The JSON object that a reference contains; null when it contains anything else. */
export function parseJsonSecret(ref: string, secrets: Secrets): Record<string, unknown> | null {
	try {
		const values: unknown = JSON.parse(secrets[ref] ?? "");
		return values !== null && typeof values === "object" && !Array.isArray(values) ? { ...values } : null;
	} catch {
		return null;
	}
}
