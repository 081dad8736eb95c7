/** Kinds of entities that a search can find. */
export const SEARCH_KINDS = [
	"job",
	"approval",
	"pipeline",
	"trigger",
	"team",
	"person",
	"policy",
	"rule",
	"budget",
	"site",
	"machine",
	"month",
	"doc",
] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

export const SEARCH_ACTIONS = ["approve", "cancel"] as const;

/** One search result. */
export interface FoundEntity {
	kind: SearchKind;
	/** Unique within its kind. For an approval, the approval's id, not its job's. */
	id: string;
	name: string;
	/** Distinguishes it from others with the same name. */
	detail: string;
	/** The screen to open. */
	href: string;
	/** Ended jobs, terminated machines and past versions rank below live ones. */
	live: boolean;
	/** Actions that the caller may take on it now. */
	actions: (typeof SEARCH_ACTIONS)[number][];
}

/** The words of a query, in lower case. */
export function searchWords(text: string): string[] {
	return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Whether the text contains every word, in any order and letter case. */
export function matchesWords(text: string, words: readonly string[]): boolean {
	const low = text.toLowerCase();
	return words.every((word) => low.includes(word));
}
