import { asc, sql } from "drizzle-orm";
import { team } from "#server/db/schema/account.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";

export interface TeamView {
	/** Fixed; jobs, budgets and policies use it. */
	name: string;
	/** Display name; null to show the name. */
	title: string | null;
	costCenter: string | null;
	parent: string | null;
	/** Enabled accounts in the team, service accounts included. */
	members: number;
}

/** Teams by name: the caller's own, or all for roles that see all. */
export async function listTeamDetails(ctx: ServiceContext): Promise<TeamView[]> {
	const scope = teamScope(ctx, "job:read");
	const [rows, counts] = await Promise.all([
		ctx.db.select().from(team).orderBy(asc(team.name)),
		ctx.db.execute<{ team: string; members: number }>(
			sql`select member_of as team, count(*)::int as members from account, unnest(teams) as member_of where disabled_at is null group by 1`,
		),
	]);
	const members = new Map(counts.map((row) => [row.team, row.members]));
	return rows
		.filter((row) => scope === null || scope.includes(row.name))
		.map(({ name, title, costCenter, parent }) => ({ name, title, costCenter, parent, members: members.get(name) ?? 0 }));
}
