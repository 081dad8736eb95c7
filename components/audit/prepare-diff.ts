/** One changed value, by its path in the record. */
export interface DiffLine {
	path: string;
	kind: "same" | "added" | "removed" | "changed";
	before: string | null;
	after: string | null;
}

/** Readable limit; the export has all values. */
export const DIFF_LINES_MAX = 200;

/** Flattens before and after into rows in record order, including unchanged values. */
export function prepareDiff(before: unknown, after: unknown): { lines: DiffLine[]; leftOut: number } {
	const [was, is] = [flat(before), flat(after)];
	const paths = [...new Set([...is.keys(), ...was.keys()])];
	const lines = paths.map((path): DiffLine => {
		const [old, now] = [was.get(path) ?? null, is.get(path) ?? null];
		const kind = old === null ? "added" : now === null ? "removed" : old === now ? "same" : "changed";
		return { path, kind, before: old, after: now };
	});
	return { lines: lines.slice(0, DIFF_LINES_MAX), leftOut: Math.max(0, lines.length - DIFF_LINES_MAX) };
}

function flat(value: unknown, path = "", into: Map<string, string> = new Map()): Map<string, string> {
	if (value === null || value === undefined) {
		if (path !== "") into.set(path, "none");
		return into;
	}
	if (typeof value !== "object") return into.set(path === "" ? "value" : path, String(value));
	const entries = Object.entries(value);
	if (entries.length === 0 && path !== "") into.set(path, Array.isArray(value) ? "empty list" : "empty");
	for (const [key, inner] of entries) flat(inner, path === "" ? key : `${path}.${key}`, into);
	return into;
}
