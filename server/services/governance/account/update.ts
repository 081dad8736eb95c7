import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { z } from "zod";
import { updateAccountInput } from "#server/contract/inputs/account.ts";
import type { Tx } from "#server/db/client.ts";
import { account, identity } from "#server/db/schema/account.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { findRole, roleName } from "#server/services/core/custom-role.ts";
import { requireTeams } from "#server/services/core/teams.ts";
import { isAdministrator, requireAnotherAdministrator } from "./administrators.ts";

type Row = typeof account.$inferSelect;

/**
 * Changes name, role and teams of an account. Reduced permissions end its sessions.
 * @throws SpillwayError `not_found`; `conflict` for the last administrator, or when role and teams come from the identity provider;
 * `invalid_input` for an unknown role or team; ZodError
 */
export async function updateAccount(ctx: ServiceContext, id: string, raw: z.input<typeof updateAccountInput>): Promise<{ id: string }> {
	authorize(ctx, "account:manage", null);
	const changes = updateAccountInput.parse(raw);
	return ctx.db.transaction(async (tx) => {
		const [row] = await tx.select().from(account).where(eq(account.id, id)).for("update");
		if (!row) throw new SpillwayError("not_found", `There is no account ${id}.`);
		const before = { name: row.name, role: roleName(row), teams: row.teams };
		const after = { name: changes.name ?? row.name, role: changes.role ?? before.role, teams: changes.teams ?? row.teams };
		const changed = differsIn(before, after);
		if (changed.length === 0) return { id };
		if (changed.includes("role") || changed.includes("teams")) await requireOwnRights(tx, row);
		if (changed.includes("teams"))
			await requireTeams(
				tx,
				after.teams.filter((team) => !row.teams.includes(team)),
			);
		const role = await findRole(tx, after.role);
		if (isAdministrator(row) && !isAdministrator(role) && !row.service) await requireAnotherAdministrator(tx, ctx, id);
		const lost = changed.includes("role") || row.teams.some((team) => !after.teams.includes(team));
		await tx
			.update(account)
			.set({ ...after, ...role, ...(lost && { sessionEpoch: sql`${account.sessionEpoch} + 1` }) })
			.where(eq(account.id, id));
		await writeAudit(tx, ctx, {
			...{ action: "account.update", subject: `account:${id}` },
			...{ before: pick(before, changed), after: pick(after, changed) },
		});
		return { id };
	});
}

type Rights = Pick<Row, "name" | "teams"> & { role: string };

function differsIn(before: Rights, after: Rights): (keyof Rights)[] {
	const sameTeams = [...before.teams].sort().join() === [...after.teams].sort().join();
	return (["name", "role", "teams"] as const).filter((key) => (key === "teams" ? !sameTeams : before[key] !== after[key]));
}

function pick(from: Rights, keys: readonly (keyof Rights)[]): Partial<Rights> {
	return Object.fromEntries(keys.map((key) => [key, from[key]]));
}

/** A linked person's role and teams are applied from the provider's groups at each sign-in, which would undo the change. */
async function requireOwnRights(tx: Tx, row: Row): Promise<void> {
	const [linked] = await tx
		.select({ issuer: identity.issuer })
		.from(identity)
		.where(and(eq(identity.accountId, row.id), isNotNull(identity.linkedAt)))
		.limit(1);
	if (!linked) return;
	throw new SpillwayError("conflict", `Role and teams of ${row.name} come from the groups of ${linked.issuer}.`, {
		fix: "Change the person's groups there; they apply at the next sign-in.",
	});
}
