import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "#server/api/trpc/router.ts";
import { blockAt, lineOfKey } from "./yaml.ts";

export type Policy = inferRouterOutputs<AppRouter>["policy"]["get"];
type Sentence = Policy["sentences"][number];
type Group = Sentence["group"];

/** Headings that each group's sentences continue. */
const HEADINGS: Record<Group, string> = {
	remove: "Exclude a candidate when",
	ask: "Require approval when",
	burst: "Burst when",
	room: "When owned GPUs are full",
	defer: "Defer a start when",
	move: "Move a running job when",
	limit: "Limits",
	prefer: "Rank eligible candidates",
};

export interface RuleCard {
	id: string;
	sentence: Sentence["sentence"];
	/** Its YAML lines; null for an unwritten default. */
	lines: { from: number; to: number } | null;
}

export interface RuleGroup {
	group: Group;
	heading: string;
	cards: RuleCard[];
}

/** First line of the section that a sentence of the whole policy describes; null: none. */
function sectionLine(lines: readonly string[], id: string): number | null {
	if (id === "shares") return lineOfKey(lines, "shares");
	return id === "weights" || id === "order" ? lineOfKey(lines, "weights") : null;
}

/** Sentences under their headings, each with its YAML lines. */
export function prepareRules(policy: Pick<Policy, "sentences" | "source">): RuleGroup[] {
	const lines = policy.source.split("\n");
	const groups: RuleGroup[] = [];
	for (const s of policy.sentences) {
		const line = s.line ?? sectionLine(lines, s.id);
		const card = { id: s.id, sentence: s.sentence, lines: line === null ? null : blockAt(lines, line) };
		const last = groups.at(-1);
		if (last?.group === s.group) last.cards.push(card);
		else groups.push({ group: s.group, heading: HEADINGS[s.group], cards: [card] });
	}
	return groups;
}
