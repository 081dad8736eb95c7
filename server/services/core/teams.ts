import { asc } from "drizzle-orm";
import { team } from "#server/db/schema/account.ts";
import { teamScope } from "./authorize.ts";
import type { ServiceContext } from "./context.ts";

/** Teams for which the actor may submit; every team for those who see all. */
export async function listTeams(ctx: ServiceContext): Promise<string[]> {
	const scope = teamScope(ctx, "job:read");
	const rows = await ctx.db.select({ name: team.name }).from(team).orderBy(asc(team.name));
	return rows.map((r) => r.name).filter((name) => scope === null || scope.includes(name));
}
