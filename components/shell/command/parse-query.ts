import type { SearchKind } from "#server/domain/search.ts";

export type Verb = "approve" | "cancel" | "why" | "logs" | "metrics" | "files" | "cost" | "clone";

export interface ParsedQuery {
	/** Verb to apply to the entity; null: open it. */
	verb: Verb | null;
	/** The words that name the entity. */
	subject: string;
}

const VERBS: readonly [RegExp, Verb][] = [
	[/^why\s+(?:is|does|did|has|was)\s+(\S+).*$/i, "why"],
	[/^(?:approve|grant)\b\s*(.*)$/i, "approve"],
	[/^(?:cancel|stop|kill)\b\s*(.*)$/i, "cancel"],
	[/^logs?\s+(?:of\s+|for\s+)?(.+)$/i, "logs"],
	[/^metrics\s+(?:of\s+|for\s+)?(.+)$/i, "metrics"],
	[/^(?:results?|files)\s+(?:of\s+|for\s+)?(.+)$/i, "files"],
	[/^receipt\s+(?:of\s+|for\s+)?(.+)$/i, "cost"],
	[/^(?:clone|rerun|re-run|repeat)\s+(.+)$/i, "clone"],
];

/** Splits "cancel esm-4" into the verb and the entity's name. */
export function parseQuery(text: string): ParsedQuery {
	const query = text.trim();
	for (const [pattern, verb] of VERBS) {
		const found = pattern.exec(query);
		if (found) return { verb, subject: found[1]?.trim() ?? "" };
	}
	return { verb: null, subject: query };
}

/** Input of the server's search. Null if the query is too short. */
export function buildSearch({ verb, subject }: ParsedQuery): { q: string; kind?: SearchKind[]; live?: boolean } | null {
	if (verb === "approve") return { q: subject, kind: ["approval"] };
	if (verb === "cancel") return { q: subject, kind: ["job"], live: true };
	if (subject.length < 2) return null;
	return verb === null ? { q: subject } : { q: subject, kind: ["job"] };
}
