import { eq, type SQL, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { account } from "#server/db/schema/account.ts";
import { customRole } from "#server/db/schema/custom-role.ts";
import { type CustomRole, isBuiltIn } from "#server/domain/custom-role.ts";
import { PERMISSIONS, type Permission } from "#server/domain/permissions.ts";
import { ROLES, type Role } from "#server/domain/vocabulary.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { PersonActor } from "./context.ts";

type AccountRow = Pick<typeof account.$inferSelect, "id" | "name" | "role" | "teams">;
type StoredRole = Pick<typeof customRole.$inferSelect, "name" | "permissions">;

/** The caller with this account. `custom`: the row of the account's custom role; null when it has none. */
export function personOf(row: AccountRow, custom: StoredRole | null, via: PersonActor["via"]): PersonActor {
	const person = { kind: "person" as const, accountId: row.id, name: row.name, role: row.role, teams: row.teams, via };
	return custom === null ? person : { ...person, customRole: readCustomRole(custom) };
}

/** Unknown permissions, from another version, are dropped. */
export function readCustomRole({ name, permissions }: StoredRole): CustomRole {
	return { name, permissions: PERMISSIONS.filter((permission) => permissions.includes(permission)) };
}

/** Join condition of an account and its custom role. */
export const ITS_CUSTOM_ROLE = eq(customRole.name, account.customRole);

/** Condition on `account`: its custom role, if any, contains the permission. */
export function isPermitted(permission: Permission): SQL {
	return sql`(${account.customRole} is null or exists (select 1 from ${customRole}
		where ${ITS_CUSTOM_ROLE} and ${permission} = any(${customRole.permissions})))`;
}

/** A role as an account stores it. */
export interface AssignedRole {
	role: Role;
	/** null: a built-in role. */
	customRole: string | null;
}

/** The name by which a role is assigned and shown. */
export function roleName({ role, customRole: custom }: AssignedRole): string {
	return custom ?? role;
}

/**
 * Finds a built-in or custom role by its name. A custom role stays until the transaction ends.
 * @throws SpillwayError `invalid_input` for an unknown name
 */
export async function findRole(tx: Tx, name: string): Promise<AssignedRole> {
	if (isBuiltIn(name)) return { role: name, customRole: null };
	const [row] = await tx.select({ base: customRole.base }).from(customRole).where(eq(customRole.name, name)).for("key share");
	if (row) return { role: row.base, customRole: name };
	const fix = `Use ${ROLES.join(", ")}, or create the role first: spillway roles create.`;
	throw new SpillwayError("invalid_input", `There is no role "${name}".`, {
		fix,
		fields: [{ path: "role", message: `There is no role "${name}". ${fix}` }],
	});
}
