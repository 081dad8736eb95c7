/** The known name that was probably meant, or null when none is near: at most one slip in three letters, and never more than three. */
export function nearestName(given: string, known: readonly string[]): string | null {
	const wanted = given.toLowerCase().slice(0, 64);
	let best: string | null = null;
	let bestDistance = Math.min(3, Math.max(1, Math.floor(wanted.length / 3))) + 1;
	for (const name of known) {
		const distance = editDistance(wanted, name.toLowerCase());
		if (distance < bestDistance) {
			best = name;
			bestDistance = distance;
		}
	}
	return best;
}

/** `did you mean "gpus"?`, or the list of what there is when nothing is near. */
export function didYouMean(given: string, known: readonly string[]): string {
	const near = nearestName(given, known);
	return near === null ? `There are: ${known.join(", ")}.` : `Did you mean ${near}?`;
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
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
		beforeLast = last;
		last = row;
	}
	return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
	return row[index] ?? Number.POSITIVE_INFINITY;
}
