import type { Segment } from "./describe-condition.ts";

export const RULE_GROUPS = ["remove", "ask", "burst", "room", "defer", "move", "limit", "prefer"] as const;
export type RuleGroup = (typeof RULE_GROUPS)[number];

/** The headings that the sentences of each group go on from. */
export const GROUP_HEADINGS: Readonly<Record<RuleGroup, string>> = {
	remove: "Remove a place when",
	ask: "Ask first when",
	burst: "Burst when",
	room: "Home, when it is full",
	defer: "Put a start off when",
	move: "Move a running job when",
	limit: "Limits",
	prefer: "Of the places that are left, prefer",
};

/** A rule, budget, cap, the shares or the weights as one English sentence. `id` and `line` lead back to the YAML. */
export interface Description {
	id: string;
	line: number | null;
	group: RuleGroup;
	sentence: Segment[];
}
