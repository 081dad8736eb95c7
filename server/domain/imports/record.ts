import type { Finding, FindingKind, ScriptKind } from "./types.ts";

/** The record kept with jobs that were imported from a script: what was carried over and what was not. */
export interface ImportRecord {
	kind: ScriptKind;
	/** Most important first, then by line. */
	findings: Finding[];
	/** Number of findings that were dropped. */
	leftOut: number;
	/** Whether the jobs are unchanged since the import; false: edited before submission. */
	isAsRead: boolean;
}

/** A script with a thousand directives reports each; the least important are dropped first. */
export const KEPT_FINDINGS_MAX = 500;
const KEPT_CHARACTERS_MAX = 500;
const RANK: Readonly<Record<FindingKind, number>> = { question: 0, dropped: 1, changed: 2, carried: 3 };

export function importRecord(kind: ScriptKind, findings: readonly Finding[], isAsRead: boolean): ImportRecord {
	const shortened = (text: string): string => (text.length > KEPT_CHARACTERS_MAX ? `${text.slice(0, KEPT_CHARACTERS_MAX - 1)}…` : text);
	const kept = findings
		.toSorted((a, b) => RANK[a.kind] - RANK[b.kind] || a.line - b.line)
		.slice(0, KEPT_FINDINGS_MAX)
		.map((f) => ({ ...f, subject: shortened(f.subject), text: shortened(f.text) }));
	return { kind, findings: kept, leftOut: findings.length - kept.length, isAsRead };
}
