import type { ImportView } from "#components/trpc/outputs.ts";

export type Finding = ImportView["findings"][number];
export type FindingGroup = { kind: Finding["kind"]; title: string; note: string; findings: readonly Finding[] };

const GROUPS = [
	{ kind: "question", title: "Needs your decision", note: ", required to submit" },
	{ kind: "dropped", title: "Not converted", note: "" },
	{ kind: "changed", title: "Converted with changes", note: "" },
	{ kind: "carried", title: "Converted unchanged", note: "" },
] as const;

/** Most important group first; by line within a group. Empty groups are omitted. */
export function groupFindings(findings: readonly Finding[]): FindingGroup[] {
	return GROUPS.flatMap(({ kind, title, note }) => {
		const own = findings.filter((f) => f.kind === kind);
		return own.length > 0 ? [{ kind, title, note: `${own.length}${note}`, findings: own }] : [];
	});
}

/** Key of a question that keeps its answer while the text is edited. */
export const questionKey = (f: Finding): string => `${f.subject}\n${f.text}`;

/** The most severe finding of each line, for its mark. */
export function marksOf(findings: readonly Finding[]): ReadonlyMap<number, Finding["kind"]> {
	const rank = (kind: Finding["kind"]): number => GROUPS.findIndex((g) => g.kind === kind);
	const marks = new Map<number, Finding["kind"]>();
	for (const f of findings) {
		const before = marks.get(f.line);
		if (before === undefined || rank(f.kind) < rank(before)) marks.set(f.line, f.kind);
	}
	return marks;
}
