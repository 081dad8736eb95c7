/** A run of lines: in both texts, in the older one only, or in the newer one only. Line numbers are 1-based. */
export interface LineRun {
	kind: "same" | "removed" | "added";
	/** First line in the older text; for an insertion, the line it precedes. */
	oldLine: number;
	newLine: number;
	lines: string[];
}

/** Beyond this many edits the rest is shown as replaced: bounds the work and memory at about its square. */
const EDITS_MAX = 1_000;

/**
 * Lines to delete and insert to turn one text into the other; the minimum (Myers 1986, "An O(ND) Difference
 * Algorithm"), up to EDITS_MAX. Pure.
 */
export function diffLines(before: string, after: string): LineRun[] {
	return diffLists(linesOf(before), linesOf(after));
}

/** Lines without their line endings; a final line ending does not start a line. */
export function linesOf(text: string): string[] {
	const lines = text.split("\n");
	if (lines.at(-1) === "") lines.pop();
	return lines;
}

export function diffLists(a: readonly string[], b: readonly string[]): LineRun[] {
	const runs: LineRun[] = [];
	let [x, y] = [0, 0];
	const push = (kind: LineRun["kind"], lines: readonly string[]): void => {
		if (lines.length === 0) return;
		const last = runs.at(-1);
		if (last?.kind === kind) last.lines.push(...lines);
		else runs.push({ kind, oldLine: x + 1, newLine: y + 1, lines: [...lines] });
		if (kind !== "added") x += lines.length;
		if (kind !== "removed") y += lines.length;
	};
	for (const [from, to] of matches(a, b)) {
		push("removed", a.slice(x, from));
		push("added", b.slice(y, to));
		push("same", a.slice(from, from + 1));
	}
	push("removed", a.slice(x));
	push("added", b.slice(y));
	return runs;
}

/** Pairs of indexes of unchanged lines, ascending in both. */
export function matches(a: readonly string[], b: readonly string[]): [number, number][] {
	let head = 0;
	while (head < a.length && head < b.length && a[head] === b[head]) head++;
	let tail = 0;
	while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
	const middle = middleMatches(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
	return [
		...Array.from({ length: head }, (_, i): [number, number] => [i, i]),
		...middle.map(([i, j]): [number, number] => [i + head, j + head]),
		...Array.from({ length: tail }, (_, i): [number, number] => [a.length - tail + i, b.length - tail + i]),
	];
}

/** Furthest points on each diagonal, edit by edit, then traced back. */
function middleMatches(a: readonly string[], b: readonly string[]): [number, number][] {
	if (a.length === 0 || b.length === 0) return [];
	const most = Math.min(a.length + b.length, EDITS_MAX);
	const trace: Int32Array[] = [];
	let reach = new Int32Array(2 * most + 3);
	const origin = most + 1;
	for (let d = 0; d <= most; d++) {
		// From the last round, only the diagonals from -d to d matter for tracing back.
		trace.push(reach.slice(origin - d - 1, origin + d + 2));
		const next = reach.slice();
		for (let k = -d; k <= d; k += 2) {
			const [below, above] = [reach[origin + k - 1] ?? 0, reach[origin + k + 1] ?? 0];
			let x = k === -d || (k !== d && below < above) ? above : below + 1;
			while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
			next[origin + k] = x;
			if (x >= a.length && x - k >= b.length) return wayBack(trace, a.length, b.length);
		}
		reach = next;
	}
	return [];
}

function wayBack(trace: readonly Int32Array[], endX: number, endY: number): [number, number][] {
	const found: [number, number][] = [];
	let [x, y] = [endX, endY];
	for (let d = trace.length - 1; d >= 0; d--) {
		const reach = trace[d];
		const at = (k: number): number => reach?.[k + d + 1] ?? 0;
		const k = x - y;
		const from = k === -d || (k !== d && at(k - 1) < at(k + 1)) ? k + 1 : k - 1;
		const [startX, startY] = d === 0 ? [0, 0] : [at(from), at(from) - from];
		while (x > startX && y > startY) found.push([--x, --y]);
		[x, y] = [startX, startY];
	}
	return found.reverse();
}
