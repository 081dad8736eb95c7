import type { ParsePolicyOptions, Place } from "./types.ts";

/** One thing that may be at the cursor. */
export interface Completion {
	label: string;
	kind: "field" | "value" | "name" | "function";
	/** Its type and unit, or what kind of thing it is; short. */
	detail: string;
	/** A one-sentence explanation; null where the name suffices. */
	info: string | null;
	/** Inserted text, if longer than the label. */
	insert: string;
}

export interface Completions {
	/** Offset at which what is being typed begins: an item takes the place of the text from there to the cursor. */
	from: number;
	items: Completion[];
}

/** Names that can be used. */
export interface CompletionFacts {
	siteIds: readonly string[];
	teams: readonly string[];
	/** Places that can be had: regions are read off them. */
	places: readonly Place[];
	instanceTypes: NonNullable<ParsePolicyOptions["instanceTypes"]>;
}
