import { and, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { matchesWords } from "#server/domain/search.ts";

/** Input of all finders: the words that must occur, and the maximum number of entities to return. */
export interface SearchFor {
	words: readonly string[];
	live: boolean;
	limit: number;
}

/** Every word occurs in the text. The wildcards of LIKE are taken literally. */
export function containsWords(text: SQLWrapper, words: readonly string[]): SQL | undefined {
	return and(...words.map((word) => sql`${text} ilike ${`%${escapeLike(word)}%`}`));
}

/** The text begins with the words, as typed. */
export function beginsWith(text: SQLWrapper, words: readonly string[]): SQL {
	return sql`${text} ilike ${`${escapeLike(words.join(" "))}%`}`;
}

/** For short lists already in memory: exact names first, then prefixes. */
export function pickMatches<T>(items: readonly T[], textOf: (item: T) => string, { words, limit }: SearchFor): T[] {
	const query = words.join(" ");
	const rank = (item: T): number => {
		const text = textOf(item).toLowerCase();
		return text === query || text.startsWith(`${query} `) ? 0 : text.startsWith(query) ? 1 : 2;
	};
	return items
		.filter((item) => matchesWords(textOf(item), words))
		.sort((a, b) => rank(a) - rank(b))
		.slice(0, limit);
}

function escapeLike(text: string): string {
	return text.replace(/[\\%_]/g, "\\$&");
}
