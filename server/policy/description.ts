import type { Segment } from "./describe-condition.ts";

/** In display order; the screen has a heading for each, which their sentences continue. */
export const RULE_GROUPS = ["remove", "ask", "burst", "room", "defer", "move", "limit", "prefer"] as const;
export type RuleGroup = (typeof RULE_GROUPS)[number];

/** A rule, budget, cap, the shares or the weights as one English sentence. `id` and `line` link back to the YAML. */
export interface Description {
	id: string;
	line: number | null;
	group: RuleGroup;
	sentence: Segment[];
}
