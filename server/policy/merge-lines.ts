import { matches } from "./diff-lines.ts";

/** Merges one of three: takes a change of only one side. `clean` false: both changed it differently; returns theirs. */
export function pick<T>(base: T, mine: T, theirs: T, same: (a: T, b: T) => boolean): { value: T; clean: boolean } {
	if (same(mine, base) || same(mine, theirs)) return { value: theirs, clean: true };
	if (same(theirs, base)) return { value: mine, clean: true };
	return { value: theirs, clean: false };
}

export const sameLines = (a: readonly string[], b: readonly string[]): boolean =>
	a.length === b.length && a.every((line, i) => line === b[i]);

/**
 * Three-way merge by lines, like diff3: between lines common to all three, a change on one side is taken. null when
 * both sides changed the same stretch differently. Pure.
 */
export function mergeLines(base: readonly string[], mine: readonly string[], theirs: readonly string[]): string[] | null {
	const inMine = new Map(matches(base, mine));
	const inTheirs = new Map(matches(base, theirs));
	const merged: string[] = [];
	let [b, m, t] = [0, 0, 0];
	for (let next = 0; next <= base.length; next++) {
		const end = next === base.length;
		const toMine = end ? mine.length : inMine.get(next);
		const toTheirs = end ? theirs.length : inTheirs.get(next);
		if (toMine === undefined || toTheirs === undefined) continue;
		const { value, clean } = pick(base.slice(b, next), mine.slice(m, toMine), theirs.slice(t, toTheirs), sameLines);
		if (!clean) return null;
		merged.push(...value, ...(end ? [] : base.slice(next, next + 1)));
		[b, m, t] = [next + 1, toMine + 1, toTheirs + 1];
	}
	return merged;
}
