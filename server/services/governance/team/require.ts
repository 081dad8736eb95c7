import { inArray } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { team } from "#server/db/schema/account.ts";
import { SpillwayError } from "#server/kernel/errors.ts";

/** @throws SpillwayError `invalid_input` naming the teams that do not exist */
export async function requireTeams(db: DbOrTx, names: readonly string[], field = "teams"): Promise<void> {
	if (names.length === 0) return;
	const rows = await db
		.select({ name: team.name })
		.from(team)
		.where(inArray(team.name, [...names]));
	const known = new Set(rows.map((row) => row.name));
	const missing = names.filter((name) => !known.has(name));
	if (missing.length === 0) return;
	const list = missing.map((name) => `"${name}"`).join(", ");
	throw new SpillwayError("invalid_input", `There is no team ${list}.`, {
		fix: "Add the team first.",
		fields: [{ path: field, message: `There is no team ${list}. Add it first.` }],
	});
}
