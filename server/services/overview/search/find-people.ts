import { asc, isNull, sql } from "drizzle-orm";
import { account } from "#server/db/schema/account.ts";
import type { FoundEntity } from "#server/domain/search.ts";
import { LABELS } from "#server/domain/vocabulary.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { listTeamDetails } from "#server/services/governance/team/list.ts";
import { containsWords, pickMatches, type SearchFor } from "./match.ts";

export async function findTeams(ctx: ServiceContext, search: SearchFor): Promise<FoundEntity[]> {
	const teams = await listTeamDetails(ctx);
	return pickMatches(teams, (t) => `${t.name} ${t.title ?? ""} ${t.costCenter ?? ""}`, search).map(({ name, title }) => ({
		...{ kind: "team", id: name, name, detail: title ?? "team spend", href: `/spend?team=${encodeURIComponent(name)}`, live: true },
		actions: [],
	}));
}

export async function findPeople(ctx: ServiceContext, { words, limit }: SearchFor): Promise<FoundEntity[]> {
	const rows = await ctx.db
		.select({ id: account.id, name: account.name, email: account.email, role: account.role })
		.from(account)
		.where(sql`${isNull(account.disabledAt)} and ${containsWords(sql`${account.name} || ' ' || ${account.email}`, words) ?? sql`true`}`)
		.orderBy(asc(account.name))
		.limit(limit);
	return rows.map(({ id, name, email, role }) => ({
		...{ kind: "person", id, name, detail: `${LABELS[role]}, ${email}`, href: `/settings/people#${id}`, live: true, actions: [] },
	}));
}
