import { z } from "zod";
import { SEARCH_ACTIONS, SEARCH_KINDS } from "#server/domain/search.ts";
import { searchInput } from "./inputs/search.ts";
import { operation } from "./operation.ts";

const foundEntitySchema = z.object({
	kind: z.enum(SEARCH_KINDS),
	id: z.string(),
	name: z.string(),
	detail: z.string(),
	href: z.string(),
	live: z.boolean(),
	actions: z.array(z.enum(SEARCH_ACTIONS)),
});

export const search = {
	find: operation({
		method: "GET",
		path: "/search",
		summary: "Find jobs, teams, people, rules, machines, months and other entities by words",
		description:
			"Only what you may see. Per kind: exact names first, then beginnings, then the newest. `actions`: what you may do with it now. `href`: its screen.",
		permission: "job:read",
		example: { q: "esm", limit: 3 },
		output: z.array(foundEntitySchema),
		input: searchInput,
		procedure: "query",
	}),
};
