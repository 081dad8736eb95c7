/** JSON of plain data with the fields of every object sorted by name: equal data gives equal text. */
export function canonicalJson(value: unknown): string {
	return JSON.stringify(ordered(JSON.parse(JSON.stringify(value))));
}

function ordered(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(ordered);
	if (!isRecord(value)) return value;
	const names = Object.keys(value).sort((a, b) => (a < b ? -1 : 1));
	return Object.fromEntries(names.map((name) => [name, ordered(value[name])]));
}

export interface Difference {
	/** `candidates.0.start.p50Ms`; empty for the whole value. */
	path: string;
	/** As JSON; `nothing` where the field is missing. */
	recorded: string;
	replayed: string;
}

/** The first difference between two JSON values, in field-name order. */
export function firstDifference(recorded: unknown, replayed: unknown, path: readonly string[] = []): Difference | null {
	const bothLists = Array.isArray(recorded) && Array.isArray(replayed);
	if (bothLists || (isRecord(recorded) && isRecord(replayed) && !Array.isArray(recorded) && !Array.isArray(replayed))) {
		const [a, b] = [recorded as Record<string, unknown>, replayed as Record<string, unknown>];
		for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
			const found = firstDifference(a[name], b[name], [...path, name]);
			if (found) return found;
		}
		return null;
	}
	const [before, again] = [jsonOf(recorded), jsonOf(replayed)];
	return before === again ? null : { path: path.join("."), recorded: before, replayed: again };
}

function jsonOf(value: unknown): string {
	return value === undefined ? "nothing" : canonicalJson(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null;
}
