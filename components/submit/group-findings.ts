import type { ImportView } from "#components/trpc/outputs.ts";

export type Finding = ImportView["findings"][number];
export type FindingGroup = { kind: Finding["kind"]; title: string; note: string; findings: readonly Finding[] };

const GROUPS = [
	{ kind: "question", title: "Needs your answer", note: ", before you can submit" },
	{ kind: "dropped", title: "Not carried over", note: "" },
	{ kind: "changed", title: "Carried over with a change", note: "" },
	{ kind: "carried", title: "Carried over as written", note: "" },
] as const;

/** What a person has to look at first comes first; within a group by line. Groups without anything are left out. */
export function groupFindings(findings: readonly Finding[]): FindingGroup[] {
	return GROUPS.flatMap(({ kind, title, note }) => {
		const own = findings.filter((f) => f.kind === kind);
		return own.length > 0 ? [{ kind, title, note: `${own.length}${note}`, findings: own }] : [];
	});
}

/** The key of a question, by which its answer is remembered while the text is changed. */
export const questionKey = (f: Finding): string => `${f.subject}\n${f.text}`;

/** The gravest thing that was found on each line, for its mark. */
export function marksOf(findings: readonly Finding[]): ReadonlyMap<number, Finding["kind"]> {
	const rank = (kind: Finding["kind"]): number => GROUPS.findIndex((g) => g.kind === kind);
	const marks = new Map<number, Finding["kind"]>();
	for (const f of findings) {
		const before = marks.get(f.line);
		if (before === undefined || rank(f.kind) < rank(before)) marks.set(f.line, f.kind);
	}
	return marks;
}
