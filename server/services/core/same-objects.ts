/**
 * Rows are read again in every cycle, most of them unchanged. Equal objects are replaced by the previous ones, so the core can reuse
 * results that it caches by object (DecideMemo). The objects are immutable. Cost: one comparison of each row's facts.
 */
export class SameObjects<T extends object> {
	readonly #keyOf: (item: T) => string;
	#byKey = new Map<string, T>();

	constructor(keyOf: (item: T) => string) {
		this.#keyOf = keyOf;
	}

	/** The same list, with equal items replaced by the last call's objects. */
	keep(items: readonly T[]): T[] {
		const next = new Map<string, T>();
		const kept = items.map((item) => {
			const key = this.#keyOf(item);
			const before = this.#byKey.get(key);
			const same = before !== undefined && isSame(before, item) ? before : item;
			next.set(key, same);
			return same;
		});
		this.#byKey = next;
		return kept;
	}
}

/** Whether two values of plain data (no dates, maps or sets) are equal; an absent field differs from an undefined one. */
export function isSame(a: unknown, b: unknown): boolean {
	if (Object.is(a, b)) return true;
	if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
	if (Array.isArray(a) || Array.isArray(b)) {
		if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
		return a.every((item, i) => isSame(item, b[i]));
	}
	// Avoids building lists of pairs, since a cycle compares thousands of rows.
	const [x, y] = [a as Record<string, unknown>, b as Record<string, unknown>];
	let left = 0;
	for (const name in x) if (Object.hasOwn(x, name)) left++;
	for (const name in y) {
		if (!Object.hasOwn(y, name)) continue;
		if (!Object.hasOwn(x, name) || !isSame(x[name], y[name])) return false;
		left--;
	}
	return left === 0;
}
