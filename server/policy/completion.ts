import type { ParsePolicyOptions, Place } from "./types.ts";

/** One suggestion at the cursor. */
export interface Completion {
	label: string;
	kind: "field" | "value" | "name" | "function";
	/** Its type and unit, or the kind of thing; short. */
	detail: string;
	/** A one-sentence explanation; null if the name suffices. */
	info: string | null;
	/** Inserted text, if longer than the label. */
	insert: string;
}

export interface Completions {
	/** Start offset of the text being typed: an item replaces the text from there to the cursor. */
	from: number;
	items: Completion[];
}

/** Available names. */
export interface CompletionFacts {
	siteIds: readonly string[];
	teams: readonly string[];
	/** Available places: regions are derived from them. */
	places: readonly Place[];
	instanceTypes: NonNullable<ParsePolicyOptions["instanceTypes"]>;
}
