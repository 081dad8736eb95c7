import type { z } from "zod";
import { searchInput } from "#server/contract/inputs/search.ts";
import type { Permission } from "#server/domain/permissions.ts";
import { type FoundEntity, type SearchKind, searchWords } from "#server/domain/search.ts";
import { allows, teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { findDocs } from "./find-docs.ts";
import { findApprovals, findJobs, findPipelines, findTriggers } from "./find-jobs.ts";
import { findMonths } from "./find-months.ts";
import { findPeople, findTeams } from "./find-people.ts";
import { findMachines, findSites } from "./find-places.ts";
import { findBudgets, findPolicies, findRules } from "./find-rules.ts";
import type { SearchFor } from "./match.ts";

interface Finder {
	/** Callers without it get none of the kind. */
	permission: Permission;
	find(ctx: ServiceContext, search: SearchFor): Promise<FoundEntity[]>;
}

const FINDERS: Readonly<Record<SearchKind, Finder>> = {
	job: { permission: "job:read", find: findJobs },
	approval: { permission: "job:read", find: findApprovals },
	pipeline: { permission: "job:read", find: findPipelines },
	trigger: { permission: "job:read", find: findTriggers },
	team: { permission: "job:read", find: findTeams },
	person: { permission: "account:manage", find: findPeople },
	policy: { permission: "policy:read", find: findPolicies },
	rule: { permission: "policy:read", find: findRules },
	budget: { permission: "budget:read", find: findBudgets },
	site: { permission: "capacity:read", find: findSites },
	machine: { permission: "instance:read", find: findMachines },
	month: { permission: "statement:read", find: findMonths },
	doc: { permission: "job:read", find: (_, search) => findDocs(search) },
};

/**
 * Entities of every kind that the caller may see, with all words in their text. Cost: one small query per kind, side by side.
 * @throws SpillwayError `forbidden`; ZodError
 */
export async function findEntities(ctx: ServiceContext, raw: z.input<typeof searchInput>): Promise<FoundEntity[]> {
	teamScope(ctx, "job:read");
	const { q, kind, live, limit } = searchInput.parse(raw);
	const search = { words: searchWords(q), live, limit };
	const chosen = Object.entries(FINDERS).filter(([name]) => kind.length === 0 || kind.some((each) => each === name));
	const found = await Promise.all(chosen.map(([, { permission, find }]) => (allows(ctx, permission, null) ? find(ctx, search) : [])));
	return found.flat();
}
