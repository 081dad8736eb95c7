import type { Role } from "./vocabulary.ts";

/** All permissions. `authorize` checks them in the services, for both tRPC and REST. */
export const PERMISSIONS = [
	"job:read",
	"job:submit",
	"job:cancel",
	/** List and download job results. */
	"artifact:read",
	"artifact:delete",
	"quote:ask",
	"capacity:read",
	"instance:read",
	/** Add, change, check and remove sites, and their credentials. */
	"site:manage",
	"policy:read",
	"budget:read",
	"spend:read",
	"audit:read",
	/** Budgets and notification channels. */
	"budget:change",
	/** Approve another person's cap change. */
	"budget:approve",
	"rates:read",
	"rates:change",
	"bill:read",
	"bill:import",
	/** Individual charges and FOCUS exports. */
	"charge:read",
	"statement:read",
	/** Close a month, add notes to variances. */
	"statement:close",
	"statement:sign",
	/** Drafts, backtests and shadow policies. */
	"policy:edit",
	"policy:publish",
	/** Plan studies: the business case of buying, renting and bursting. */
	"plan:read",
	"plan:run",
	/** Where copies of data sets are. */
	"data:change",
	/** Add, check and remove stores of teams, and set their limits. */
	"store:manage",
	/** Approve another person's publication. */
	"policy:approve",
	/** Approve or reject a job when a rule requires it; the rule names the role. */
	"job:approve",
	/** Names of secrets, never their values. */
	"secret:read",
	/** Set and delete secrets of a team. */
	"secret:manage",
	/** The caller's own tokens. */
	"token:manage",
	/** The caller's own mail notifications. */
	"notification:manage",
	/** Other people's accounts: invite, disable, link identities, service accounts and their tokens. */
	"account:manage",
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** `all`: for every team. `own`: for the caller's teams only. */
export const GRANTS: Record<Role, Partial<Record<Permission, "all" | "own">>> = {
	platform: {
		"job:read": "all",
		"job:submit": "all",
		"job:cancel": "all",
		"artifact:read": "all",
		"artifact:delete": "all",
		"quote:ask": "all",
		"capacity:read": "all",
		"instance:read": "all",
		"site:manage": "all",
		"policy:read": "all",
		"budget:read": "all",
		"spend:read": "all",
		"audit:read": "all",
		"rates:read": "all",
		"bill:read": "all",
		"charge:read": "all",
		"statement:read": "all",
		"budget:change": "all",
		"budget:approve": "all",
		"rates:change": "all",
		"bill:import": "all",
		"statement:close": "all",
		"statement:sign": "all",
		"policy:edit": "all",
		"policy:publish": "all",
		"plan:read": "all",
		"plan:run": "all",
		"data:change": "all",
		"store:manage": "all",
		"policy:approve": "all",
		"job:approve": "all",
		"secret:read": "all",
		"secret:manage": "all",
		"token:manage": "all",
		"notification:manage": "all",
		"account:manage": "all",
	},
	data_scientist: {
		"job:read": "own",
		"job:submit": "own",
		"job:cancel": "own",
		"artifact:read": "own",
		"artifact:delete": "own",
		"quote:ask": "own",
		"capacity:read": "all",
		"instance:read": "own",
		"policy:read": "all",
		"budget:read": "all",
		"spend:read": "own",
		"charge:read": "own",
		"statement:read": "own",
		"secret:read": "own",
		"secret:manage": "own",
		"token:manage": "all",
		"notification:manage": "all",
	},
	finance: {
		"job:read": "all",
		"capacity:read": "all",
		"instance:read": "all",
		"policy:read": "all",
		"budget:read": "all",
		"spend:read": "all",
		"rates:read": "all",
		"bill:read": "all",
		"charge:read": "all",
		"statement:read": "all",
		"budget:change": "all",
		"budget:approve": "all",
		"rates:change": "all",
		"bill:import": "all",
		"statement:close": "all",
		"statement:sign": "all",
		"job:approve": "all",
		"plan:read": "all",
		"plan:run": "all",
		"audit:read": "all",
		"token:manage": "all",
		"notification:manage": "all",
	},
};

/** Whether some role has the permission for its own teams only, so that responses depend on the caller's teams. */
export function isTeamScoped(permission: Permission): boolean {
	return Object.values(GRANTS).some((grants) => grants[permission] === "own");
}
