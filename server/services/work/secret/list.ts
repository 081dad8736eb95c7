import { asc, getTableColumns, inArray } from "drizzle-orm";
import { jobSecret } from "#server/db/schema/job-secret.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { type SecretView, secretViewOf } from "./view.ts";

/** The secrets of the caller's teams, or of all teams for roles that see all; never their values. */
export async function listSecrets(ctx: ServiceContext): Promise<SecretView[]> {
	const scope = teamScope(ctx, "secret:read");
	const { sealed: _, ...columns } = getTableColumns(jobSecret);
	const rows = await ctx.db
		.select(columns)
		.from(jobSecret)
		.where(scope === null ? undefined : inArray(jobSecret.team, [...scope]))
		.orderBy(asc(jobSecret.team), asc(jobSecret.name));
	return rows.map(secretViewOf);
}
