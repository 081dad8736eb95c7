import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "#server/api/trpc/router.ts";
import { blockAt, lineOfKey } from "./yaml.ts";

export type Policy = inferRouterOutputs<AppRouter>["policy"]["get"];
type Sentence = Policy["sentences"][number];
type Group = Sentence["group"];

/** The headings that the sentences of each group go on from. */
const HEADINGS: Record<Group, string> = {
	remove: "Remove a place when",
	ask: "Ask first when",
	burst: "Burst when",
	room: "Home, when it is full",
	defer: "Put a start off when",
	move: "Move a running job when",
	limit: "Limits",
	prefer: "Of the places that are left, prefer",
};

export interface RuleCard {
	id: string;
	sentence: Sentence["sentence"];
	/** Its lines in the YAML; null when it stands for a default that is not written there. */
	lines: { from: number; to: number } | null;
}

export interface RuleGroup {
	group: Group;
	heading: string;
	cards: RuleCard[];
}

/** The sentences under their headings, each with its lines in the text. */
export function prepareRules(policy: Pick<Policy, "sentences" | "source">): RuleGroup[] {
	const lines = policy.source.split("\n");
	const groups: RuleGroup[] = [];
	for (const s of policy.sentences) {
		const line = s.line ?? (s.id === "weights" || s.id === "shares" ? lineOfKey(lines, s.id) : null);
		const card = { id: s.id, sentence: s.sentence, lines: line === null ? null : blockAt(lines, line) };
		const last = groups.at(-1);
		if (last?.group === s.group) last.cards.push(card);
		else groups.push({ group: s.group, heading: HEADINGS[s.group], cards: [card] });
	}
	return groups;
}
