import { asc, inArray } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { team } from "#server/db/schema/account.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { teamScope } from "./authorize.ts";
import type { ServiceContext } from "./context.ts";

/** Teams for which the actor may submit; every team for actors who see all. */
export async function listTeams(ctx: ServiceContext): Promise<string[]> {
	const scope = teamScope(ctx, "job:read");
	const rows = await ctx.db.select({ name: team.name }).from(team).orderBy(asc(team.name));
	return rows.map((r) => r.name).filter((name) => scope === null || scope.includes(name));
}

/**
 * Requires these teams to exist until the transaction ends. If one is being deleted, this waits for the deletion.
 * @throws SpillwayError `invalid_input` naming the teams that do not exist
 */
export async function requireTeams(tx: Tx, names: readonly string[], field = "teams"): Promise<void> {
	if (names.length === 0) return;
	const rows = await tx
		.select({ name: team.name })
		.from(team)
		.where(inArray(team.name, [...names]))
		.orderBy(asc(team.name))
		.for("key share");
	const known = new Set(rows.map((row) => row.name));
	const missing = names.filter((name) => !known.has(name));
	if (missing.length === 0) return;
	const list = missing.map((name) => `"${name}"`).join(", ");
	throw new SpillwayError("invalid_input", `There is no team ${list}.`, {
		fix: "Add the team first.",
		fields: [{ path: field, message: `There is no team ${list}. Add it first.` }],
	});
}
