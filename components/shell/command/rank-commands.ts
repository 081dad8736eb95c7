import type { Permission } from "#server/domain/permissions.ts";
import { type FoundEntity, matchesWords, type SearchKind, searchWords } from "#server/domain/search.ts";
import { answerQuery } from "./answer-query.ts";
import type { Command } from "./command.ts";
import { commandOf } from "./entity-commands.ts";
import { SETTING_COMMANDS, screenCommands, subpageCommands } from "./local-commands.ts";
import { parseQuery, type Verb } from "./parse-query.ts";

export interface CommandContext {
	/** What the person may do: other pages are not offered. */
	permissions: readonly Permission[];
	teams: readonly string[];
	nowMs: number;
	/** Entities found for this query, or for an earlier one. */
	entities: readonly FoundEntity[];
	/** The entities are from an earlier query. Those that do not match the current one are left out. */
	stale?: boolean;
}

const SHOWN = 12;

/** Score of a match: the whole name, its beginning, the beginning of a word, or anywhere. */
const MATCH = { exact: 100, prefix: 80, word: 60, inside: 40, elsewhere: 20 };

/** Score by kind: frequently used kinds first, documentation and settings after every entity. */
const KIND_BONUS: Readonly<Record<SearchKind, number>> = {
	...{ job: 12, approval: 12, team: 11, pipeline: 10, budget: 10, site: 10, month: 10, person: 9, rule: 9 },
	...{ policy: 8, machine: 8, trigger: 8, doc: -55 },
};
const LIVE_BONUS = 4;
const SCREEN_BONUS = 13;
const SETTING_BONUS = -50;
const ANSWER_SCORE = 150;

/** Results of a query, best first. Enter runs the first one. */
export function rankCommands(text: string, context: CommandContext): Command[] {
	const screens = screenCommands(context.permissions);
	if (text.trim() === "") return screens;
	const { verb, subject } = parseQuery(text);
	const scored = [
		...(verb === null ? answerQuery(text, context.teams, context.nowMs).map((command) => ({ command, score: ANSWER_SCORE })) : []),
		...context.entities.flatMap((entity) => scoreEntity(entity, verb, subject, context.stale === true)),
		...local(screens, text, SCREEN_BONUS),
		...local([...subpageCommands(context.permissions), ...SETTING_COMMANDS], text, SETTING_BONUS),
	];
	return scored
		.sort((a, b) => b.score - a.score)
		.slice(0, SHOWN)
		.map(({ command }) => command);
}

type Scored = { command: Command; score: number };

function scoreEntity(entity: FoundEntity, verb: Verb | null, subject: string, stale: boolean): Scored[] {
	const command = commandOf(entity, verb);
	if (command === null) return [];
	const match = scoreText(entity.name, subject) ?? scoreText(entity.id, subject);
	if (match === null && stale && !matchesWords(`${entity.name} ${entity.detail}`, searchWords(subject))) return [];
	return [{ command, score: (match ?? MATCH.elsewhere) + KIND_BONUS[entity.kind] + (entity.live ? LIVE_BONUS : 0) }];
}

function local(commands: readonly Command[], text: string, bonus: number): Scored[] {
	return commands.flatMap((command) => {
		// "settings currency" names the page with the screen that it is on.
		const match = scoreText(command.label, text) ?? (command.detail ? scoreText(`${command.detail} ${command.label}`, text) : null);
		return match === null ? [] : [{ command, score: match + bonus }];
	});
}

function scoreText(name: string, text: string): number | null {
	const query = text.trim().toLowerCase();
	const low = name.toLowerCase();
	if (low === query) return MATCH.exact;
	if (low.startsWith(query)) return MATCH.prefix;
	if (!matchesWords(name, searchWords(text))) return null;
	return searchWords(text).every((word) => startsAWord(low, word)) ? MATCH.word : MATCH.inside;
}

function startsAWord(text: string, word: string): boolean {
	return text.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(word)) || new RegExp(`(^|\\W)${escapePattern(word)}`).test(text);
}

function escapePattern(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
