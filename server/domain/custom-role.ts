import { GRANTS, type Permission } from "./permissions.ts";
import { ROLES, type Role } from "./vocabulary.ts";

/** A named part of a built-in role's permissions. It restricts the role, and never adds to it. */
export interface CustomRole {
	name: string;
	permissions: readonly Permission[];
}

/** Every permission with what it allows, by the area in which a form shows it. */
export const PERMISSION_AREAS = {
	Jobs: {
		"job:read": "See jobs, pipelines, templates and triggers",
		"job:submit": "Submit and retry jobs, run pipelines, change templates and triggers",
		"job:cancel": "Cancel jobs, change their priority",
		"job:approve": "Approve jobs",
		"quote:ask": "Get quotes",
		"artifact:read": "Download results",
		"artifact:delete": "Delete results",
		"secret:read": "See names of secrets",
		"secret:manage": "Set and delete secrets",
	},
	Capacity: {
		"capacity:read": "See sites, offers and stores",
		"instance:read": "See instances",
		"site:manage": "Change sites",
		"store:manage": "Change stores",
		"data:change": "Set where data sets are",
	},
	Policies: {
		"policy:read": "See policies",
		"policy:edit": "Edit drafts, run backtests",
		"policy:publish": "Publish policies",
		"policy:approve": "Approve publications",
		"plan:read": "See plan studies",
		"plan:run": "Run plan studies",
	},
	Money: {
		"spend:read": "See spend and carbon",
		"charge:read": "See and export charges",
		"budget:read": "See budgets and alerts",
		"budget:change": "Change budgets and channels",
		"budget:approve": "Approve budget changes",
		"rates:read": "See rates",
		"rates:change": "Change rates, correct charges",
		"bill:read": "See bills",
		"bill:import": "Import bills",
		"statement:read": "See statements",
		"statement:close": "Close months",
		"statement:sign": "Sign statements",
	},
	Administration: {
		"audit:read": "Read the audit log",
		"token:manage": "Manage own tokens",
		"notification:manage": "Change own notifications",
		"account:manage": "Manage people, teams, roles and the company file",
	},
} as const satisfies Record<string, Partial<Record<Permission, string>>>;

/**
 * What a custom role based on this role may contain. Not the management of people: anyone who has it can give themselves every role, so
 * a role with it would restrict nothing.
 */
export function permissionsFor(base: Role): Permission[] {
	return (Object.keys(GRANTS[base]) as Permission[]).filter((permission) => permission !== "account:manage");
}

export function isBuiltIn(name: string): name is Role {
	return (ROLES as readonly string[]).includes(name);
}

/** What a person may do, at least for their own teams. */
export function permissionsOf(person: { role: Role; customRole?: CustomRole }): Permission[] {
	return (Object.keys(GRANTS[person.role]) as Permission[]).filter((permission) => hasPermission(person, permission));
}

/** Whether a person has the permission, at least for their own teams. For pages; operations authorize with the team. */
export function hasPermission({ role, customRole }: { role: Role; customRole?: CustomRole }, permission: Permission): boolean {
	return GRANTS[role][permission] !== undefined && (customRole?.permissions.includes(permission) ?? true);
}
