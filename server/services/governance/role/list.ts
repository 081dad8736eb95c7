import { asc, count } from "drizzle-orm";
import { account } from "#server/db/schema/account.ts";
import { customRole } from "#server/db/schema/custom-role.ts";
import { GRANTS, PERMISSIONS, type Permission } from "#server/domain/permissions.ts";
import { ROLES, type Role } from "#server/domain/vocabulary.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { readCustomRole, roleName } from "#server/services/core/custom-role.ts";

export interface RoleView {
	name: string;
	/** The built-in role that a custom role restricts; null: it is built in. */
	base: Role | null;
	permissions: Permission[];
	/** Number of accounts with it, disabled ones included. */
	accounts: number;
}

/** Built-in roles, then custom roles by name. @throws SpillwayError `forbidden` */
export async function listRoles(ctx: Pick<ServiceContext, "actor" | "db">): Promise<RoleView[]> {
	authorize(ctx, "account:manage", null);
	const [custom, uses] = await Promise.all([
		ctx.db.select().from(customRole).orderBy(asc(customRole.name)),
		ctx.db
			.select({ role: account.role, customRole: account.customRole, accounts: count() })
			.from(account)
			.groupBy(account.role, account.customRole),
	]);
	const accountsOf = (name: string) => uses.find((use) => roleName(use) === name)?.accounts ?? 0;
	return [
		...ROLES.map((name) => ({
			...{ name, base: null, accounts: accountsOf(name) },
			permissions: PERMISSIONS.filter((permission) => GRANTS[name][permission] !== undefined),
		})),
		...custom.map((row) => ({
			...{ name: row.name, base: row.base, accounts: accountsOf(row.name) },
			permissions: [...readCustomRole(row).permissions],
		})),
	];
}
