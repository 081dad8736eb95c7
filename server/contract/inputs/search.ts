import { z } from "zod";
import { SEARCH_KINDS } from "#server/domain/search.ts";

export const SEARCH_LIMIT_MAX = 20;

export const searchInput = z.strictObject({
	/** Every word must occur in the entity's name, id or detail. Empty: the newest of each kind. */
	q: z.string().trim().max(200).default(""),
	/** Empty: all kinds. */
	kind: z.array(z.enum(SEARCH_KINDS)).max(SEARCH_KINDS.length).default([]),
	/** Only jobs and machines that have not ended. */
	live: z.boolean().default(false),
	/** Per kind. */
	limit: z.number().int().min(1).max(SEARCH_LIMIT_MAX).default(6),
});
