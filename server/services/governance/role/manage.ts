import { eq } from "drizzle-orm";
import type { z } from "zod";
import { createRoleInput, updateRoleInput } from "#server/contract/inputs/role.ts";
import type { Tx } from "#server/db/client.ts";
import { account } from "#server/db/schema/account.ts";
import { customRole } from "#server/db/schema/custom-role.ts";
import { isBuiltIn, permissionsFor } from "#server/domain/custom-role.ts";
import { PERMISSIONS, type Permission } from "#server/domain/permissions.ts";
import type { Role } from "#server/domain/vocabulary.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { readGroupMappings } from "#server/services/core/group-map.ts";

/**
 * Creates a role with some of a built-in role's permissions.
 * @throws SpillwayError `conflict` when the name is taken; `invalid_input` for a permission that the base lacks; `forbidden`; ZodError
 */
export async function createRole(ctx: ServiceContext, raw: z.input<typeof createRoleInput>): Promise<{ name: string }> {
	authorize(ctx, "account:manage", null);
	const { name, base, permissions } = createRoleInput.parse(raw);
	requireWithin(base, permissions);
	return ctx.db.transaction(async (tx) => {
		const made = isBuiltIn(name)
			? []
			: await tx
					.insert(customRole)
					.values({ name, base, permissions: sorted(permissions), createdAt: new Date(ctx.clock.nowMs()) })
					.onConflictDoNothing()
					.returning({ name: customRole.name });
		if (made.length === 0)
			throw new SpillwayError("conflict", `A role ${name} exists.`, {
				fields: [{ path: "name", message: "A role has this name. Choose another." }],
			});
		await writeAudit(tx, ctx, { action: "role.create", subject: `role:${name}`, after: { base, permissions: sorted(permissions) } });
		return { name };
	});
}

/**
 * Replaces the permissions of a custom role. They apply to the next request of its sessions, and to its tokens within 5 seconds.
 * @throws SpillwayError `not_found`; `conflict` for a built-in role; `invalid_input` for a permission that the base lacks; `forbidden`;
 * ZodError
 */
export async function updateRole(ctx: ServiceContext, name: string, raw: z.input<typeof updateRoleInput>): Promise<{ name: string }> {
	authorize(ctx, "account:manage", null);
	const { permissions } = updateRoleInput.parse(raw);
	return ctx.db.transaction(async (tx) => {
		const row = await lockRole(tx, name);
		requireWithin(row.base, permissions);
		const after = sorted(permissions);
		if (after.join() === row.permissions.join()) return { name };
		await tx.update(customRole).set({ permissions: after }).where(eq(customRole.name, name));
		await writeAudit(tx, ctx, {
			...{ action: "role.update", subject: `role:${name}` },
			...{ before: { permissions: row.permissions }, after: { permissions: after } },
		});
		return { name };
	});
}

/**
 * Deletes a custom role that no account and no group mapping has.
 * @throws SpillwayError `not_found`; `conflict` for a built-in role, and naming its uses; `forbidden`
 */
export async function deleteRole(ctx: ServiceContext, name: string): Promise<{ name: string }> {
	authorize(ctx, "account:manage", null);
	return ctx.db.transaction(async (tx) => {
		const row = await lockRole(tx, name);
		const accounts = await tx.$count(account, eq(account.customRole, name));
		const mappings = Object.entries(await readGroupMappings(tx)).filter(([, mapping]) => mapping.customRole === name);
		const uses = [
			...(accounts > 0 ? [`${accounts} ${accounts === 1 ? "account has" : "accounts have"} it`] : []),
			...mappings.slice(0, 1).map(([group]) => `the group "${group}" is mapped to it`),
		];
		if (uses.length > 0)
			throw new SpillwayError("conflict", `The role ${name} is in use: ${uses.join(", ")}.`, {
				fix: "Give these accounts and groups another role first. Disabled accounts count.",
			});
		await tx.delete(customRole).where(eq(customRole.name, name));
		const { base, permissions } = row;
		await writeAudit(tx, ctx, { action: "role.delete", subject: `role:${name}`, before: { base, permissions } });
		return { name };
	});
}

async function lockRole(tx: Tx, name: string): Promise<typeof customRole.$inferSelect> {
	if (isBuiltIn(name))
		throw new SpillwayError("conflict", `The role ${name} is built in and cannot be changed.`, {
			fix: `Create a role based on ${name}, with the permissions that you choose.`,
		});
	const [row] = await tx.select().from(customRole).where(eq(customRole.name, name)).for("update");
	if (!row) throw new SpillwayError("not_found", `There is no role ${name}.`, { fix: "List roles with: spillway roles ls" });
	return row;
}

/** A custom role never exceeds its base. */
function requireWithin(base: Role, permissions: readonly Permission[]): void {
	const possible = permissionsFor(base);
	const beyond = permissions.filter((permission) => !possible.includes(permission));
	if (beyond.length === 0) return;
	const why = beyond.includes("account:manage")
		? "Only the built-in role platform can have account:manage, because it can give any role to anyone."
		: `The role ${base} does not have them.`;
	const message = `A role based on ${base} cannot have ${beyond.join(", ")}. ${why}`;
	throw new SpillwayError("invalid_input", message, {
		fix: `Choose from: ${possible.join(", ")}.`,
		fields: [{ path: "permissions", message }],
	});
}

/** In the order of PERMISSIONS, each once. */
function sorted(permissions: readonly Permission[]): Permission[] {
	return PERMISSIONS.filter((permission) => permissions.includes(permission));
}
