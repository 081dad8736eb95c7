import { diffArrays } from "diff";

/** A run of lines: in both texts, in the older one only, or in the newer one only. Line numbers are 1-based. */
export interface LineRun {
	kind: "same" | "removed" | "added";
	/** First line in the older text; for an insertion, the line it precedes. */
	oldLine: number;
	newLine: number;
	lines: string[];
}

/** With more edits, everything between the common start and end counts as replaced: bounds the work at about its square. */
const EDITS_MAX = 1_000;

/** The fewest lines to delete and insert to turn one text into the other, up to EDITS_MAX. Pure. */
export function diffLines(before: string, after: string): LineRun[] {
	return diffLists(linesOf(before), linesOf(after));
}

/** Lines without their line endings; a final line ending does not start a line. */
export function linesOf(text: string): string[] {
	const lines = text.split("\n");
	if (lines.at(-1) === "") lines.pop();
	return lines;
}

/** Pairs of indexes of unchanged lines, ascending in both. */
export function matches(a: readonly string[], b: readonly string[]): [number, number][] {
	return diffLists(a, b)
		.filter((run) => run.kind === "same")
		.flatMap(({ oldLine, newLine, lines }) => lines.map((_, i): [number, number] => [oldLine - 1 + i, newLine - 1 + i]));
}

function diffLists(a: readonly string[], b: readonly string[]): LineRun[] {
	let [oldLine, newLine] = [1, 1];
	return changes(a, b).map(({ kind, lines }) => {
		const run = { kind, oldLine, newLine, lines };
		if (kind !== "added") oldLine += lines.length;
		if (kind !== "removed") newLine += lines.length;
		return run;
	});
}

type Change = Pick<LineRun, "kind" | "lines">;

function changes(a: readonly string[], b: readonly string[]): Change[] {
	const found = diffArrays([...a], [...b], { maxEditLength: EDITS_MAX });
	if (!found) return replaced(a, b);
	return found.map(({ added, removed, value }) => ({ kind: added ? "added" : removed ? "removed" : "same", lines: value }));
}

/** All lines between the common start and the common end as replaced. */
function replaced(a: readonly string[], b: readonly string[]): Change[] {
	const shorter = Math.min(a.length, b.length);
	let start = 0;
	while (start < shorter && a[start] === b[start]) start++;
	let end = 0;
	while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++;
	const changes: Change[] = [
		{ kind: "same", lines: a.slice(0, start) },
		{ kind: "removed", lines: a.slice(start, a.length - end) },
		{ kind: "added", lines: b.slice(start, b.length - end) },
		{ kind: "same", lines: a.slice(a.length - end) },
	];
	return changes.filter(({ lines }) => lines.length > 0);
}
