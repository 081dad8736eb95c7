import type { Outputs } from "#components/trpc/outputs.ts";

export type SiteKind = Outputs["site"]["kinds"][number];
export type SiteSettings = Outputs["site"]["settings"][number];
export type SiteField = SiteKind["fields"][number];

/** A setting as text for its field. */
export function textOf(field: Pick<SiteField, "input">, value: unknown): string {
	if (value === undefined || value === null) return "";
	switch (field.input) {
		case "lines":
			return Array.isArray(value) ? value.join("\n") : String(value);
		case "map":
		case "text_or_map":
			if (typeof value !== "object") return String(value);
			return Object.entries(value)
				.map(([key, text]) => `${key} = ${String(text)}`)
				.join("\n");
		case "json":
			return JSON.stringify(value);
		default:
			return String(value);
	}
}

/** Parses a field; undefined if empty. @throws Error describing the expected format. */
export function settingOf(field: Pick<SiteField, "input">, text: string): unknown {
	const trimmed = text.trim();
	if (trimmed === "") return undefined;
	switch (field.input) {
		case "lines":
			return trimmed
				.split(/[\n,]/)
				.map((line) => line.trim())
				.filter(Boolean);
		case "map":
			return mapOf(trimmed);
		case "text_or_map":
			return trimmed.includes("=") ? mapOf(trimmed) : trimmed;
		case "json":
		case "key_file":
			return jsonOf(trimmed);
		default:
			return trimmed;
	}
}

function mapOf(text: string): Record<string, string> {
	const entries = text.split("\n").flatMap((line): [string, string][] => {
		if (line.trim() === "") return [];
		const at = line.indexOf("=");
		if (at < 1) throw new Error(`"${line.trim()}" must have the form: name = value`);
		return [[line.slice(0, at).trim(), line.slice(at + 1).trim()]];
	});
	return Object.fromEntries(entries);
}

function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw new Error("invalid JSON");
	}
}

/** Invalid fields of a response by path; list entries map to their list. */
export function problemsOf(error: unknown, names: readonly string[]): Record<string, string> {
	const fields = (error as { data?: { problem?: { fields?: { path: string; message: string }[] } } } | null)?.data?.problem?.fields ?? [];
	const found: Record<string, string> = {};
	for (const { path, message } of fields) {
		const name = names.find((n) => path === n || path.startsWith(`${n}.`)) ?? "";
		const rest = name === "" ? path : path.slice(name.length + 1);
		found[name] ??= rest === "" ? message : `${rest}: ${message}`;
	}
	return found;
}
