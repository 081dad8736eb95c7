/** Limit on the names searched: there may be thousands, and a suggestion is optional. */
const NAMES_MAX = 1_000;

/** Maximum number of names listed when none is near; the rest are counted. */
const NAMES_SHOWN = 24;

/** The known name nearest to a misspelled one: at most one edit per three letters, and at most three. Null when none is near. */
export function nearestName(given: string, known: readonly string[]): string | null {
	const wanted = given.toLowerCase().slice(0, 64);
	let best: string | null = null;
	let bestDistance = Math.min(3, Math.max(1, Math.floor(wanted.length / 3))) + 1;
	for (const name of known.slice(0, NAMES_MAX)) {
		if (Math.abs(name.length - wanted.length) >= bestDistance) continue;
		const distance = editDistance(wanted, name.toLowerCase(), bestDistance);
		if (distance < bestDistance) {
			best = name;
			bestDistance = distance;
		}
	}
	return best;
}

/** "Did you mean gpus?", or the list of known names when none is near. */
export function suggestName(given: string, known: readonly string[]): string {
	const near = nearestName(given, known);
	if (near !== null) return `Did you mean ${near}?`;
	const more = known.length - NAMES_SHOWN;
	return `Use one of: ${known.slice(0, NAMES_SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

/**
 * Optimal string alignment: insertions, deletions, replacements and swaps of neighbors. Returns `atLeast` for any
 * greater distance.
 */
function editDistance(a: string, b: string, atLeast: number): number {
	let beforeLast: number[] = [];
	let last = Array.from({ length: b.length + 1 }, (_, j) => j);
	for (let i = 1; i <= a.length; i++) {
		const row = [i];
		for (let j = 1; j <= b.length; j++) {
			const replace = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
			let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, replace);
			if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, at(beforeLast, j - 2) + 1);
			row.push(cost);
		}
		// A swap looks back two rows, so once both exceed the limit the rest does too.
		if (Math.min(...row) >= atLeast && Math.min(...last) >= atLeast) return atLeast;
		beforeLast = last;
		last = row;
	}
	return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
	return row[index] ?? Number.POSITIVE_INFINITY;
}
