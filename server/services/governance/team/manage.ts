import { eq, sql } from "drizzle-orm";
import type { z } from "zod";
import { createTeamInput, updateTeamInput } from "#server/contract/inputs/account.ts";
import type { Tx } from "#server/db/client.ts";
import { team } from "#server/db/schema/account.ts";
import { storageLimit } from "#server/db/schema/store.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { requireTeams } from "#server/services/core/teams.ts";
import { usesOfTeam } from "./uses.ts";

/** Longer chains of parents are unrealistic, and this bounds the walk. */
const DEPTH_MAX = 8;

/** @throws SpillwayError `conflict` when the name is taken; `invalid_input` for an unknown parent; `forbidden`; ZodError */
export async function createTeam(ctx: ServiceContext, raw: z.input<typeof createTeamInput>): Promise<{ name: string }> {
	authorize(ctx, "account:manage", null);
	const input = createTeamInput.parse(raw);
	return ctx.db.transaction(async (tx) => {
		if (input.parent !== null) await requireTeams(tx, [input.parent], "parent");
		const made = await tx.insert(team).values(input).onConflictDoNothing().returning({ name: team.name });
		if (made.length === 0)
			throw new SpillwayError("conflict", `A team ${input.name} exists.`, {
				fields: [{ path: "name", message: "A team has this name. Choose another." }],
			});
		await writeAudit(tx, ctx, { action: "team.create", subject: `team:${input.name}`, after: input });
		return { name: input.name };
	});
}

/**
 * Renames a team (its title) or changes its cost center or parent. The name stays, because charges and policies refer to it.
 * @throws SpillwayError `not_found`; `invalid_input` for an unknown parent or a circle; `forbidden`; ZodError
 */
export async function updateTeam(ctx: ServiceContext, id: string, raw: z.input<typeof updateTeamInput>): Promise<{ name: string }> {
	authorize(ctx, "account:manage", null);
	const changes = updateTeamInput.parse(raw);
	return ctx.db.transaction(async (tx) => {
		// Two concurrent changes could close a cycle that neither sees.
		if (changes.parent) await tx.execute(sql`select pg_advisory_xact_lock(hashtext('team parents'))`);
		const [row] = await tx.select().from(team).where(eq(team.name, id)).for("update");
		if (!row) throw missing(id);
		const after = { ...row, ...changes };
		if (changes.parent) await requireNoCircle(tx, id, changes.parent);
		if (after.title === row.title && after.costCenter === row.costCenter && after.parent === row.parent) return { name: id };
		await tx.update(team).set(after).where(eq(team.name, id));
		await writeAudit(tx, ctx, { action: "team.update", subject: `team:${id}`, before: row, after });
		return { name: id };
	});
}

async function requireNoCircle(tx: Tx, id: string, parent: string): Promise<void> {
	await requireTeams(tx, [parent], "parent");
	const parents = new Map((await tx.select({ name: team.name, parent: team.parent }).from(team)).map((t) => [t.name, t.parent]));
	let depth = 1;
	for (let at: string | null = parent; at !== null; at = parents.get(at) ?? null, depth++) {
		if (at !== id && depth <= DEPTH_MAX) continue;
		const message =
			at === id
				? `"${parent}" is ${id} or part of it. Choose another team.`
				: `Teams can be nested ${DEPTH_MAX} deep. Choose a team higher up.`;
		throw new SpillwayError("invalid_input", message, { fields: [{ path: "parent", message }] });
	}
}

/**
 * Deletes a team without members, sub-teams or other references (uses.ts), with its secrets and storage limit.
 * @throws SpillwayError `not_found`; `conflict` naming the references; `forbidden`
 */
export async function deleteTeam(ctx: ServiceContext, id: string): Promise<{ name: string }> {
	authorize(ctx, "account:manage", null);
	return ctx.db.transaction(async (tx) => {
		const [row] = await tx.select().from(team).where(eq(team.name, id)).for("update");
		if (!row) throw missing(id);
		const uses = await usesOfTeam(tx, id);
		if (uses.length > 0)
			throw new SpillwayError("conflict", `Team ${id} has ${uses.join(", ")}.`, {
				fix: "Delete or move them first. A team with jobs or charges stays, because reports refer to it.",
			});
		await tx.delete(storageLimit).where(eq(storageLimit.team, id));
		await tx.delete(team).where(eq(team.name, id));
		await writeAudit(tx, ctx, { action: "team.delete", subject: `team:${id}`, before: row });
		return { name: id };
	});
}

function missing(id: string): SpillwayError {
	return new SpillwayError("not_found", `There is no team ${id}.`);
}
