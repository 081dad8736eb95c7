import type { Role } from "#server/domain/vocabulary.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { ServiceContext } from "./context.ts";

/** Everything that can be asked for. Checked here, and only here, for tRPC and REST alike. */
export type Permission =
	| "job:read"
	| "job:submit"
	| "job:cancel"
	| "quote:ask"
	| "capacity:read"
	| "instance:read"
	/** Adding, changing, checking and removing sites, and their credentials. */
	| "site:manage"
	| "policy:read"
	| "budget:read"
	| "spend:read"
	| "audit:read"
	/** Caps of budgets, alert channels. */
	| "budget:change"
	/** A second person's yes to somebody else's change. */
	| "budget:approve"
	| "rates:read"
	| "rates:change"
	| "bill:read"
	| "bill:import"
	/** Charges row by row, FOCUS exports. */
	| "charge:read"
	| "statement:read"
	/** Closing a month, notes on variances. */
	| "statement:close"
	| "statement:sign"
	/** Drafts, backtests and shadows. */
	| "policy:edit"
	| "policy:publish"
	/** Where data sets have copies. */
	| "data:change"
	/** A second person's yes to a policy that somebody else publishes. */
	| "policy:approve"
	/** A yes or no to a job that a rule asks about; the rule names the role. */
	| "job:approve";

/** `all`: for every team; `own`: for the person's teams only. */
const GRANTS: Record<Role, Partial<Record<Permission, "all" | "own">>> = {
	platform: {
		"job:read": "all",
		"job:submit": "all",
		"job:cancel": "all",
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
		"data:change": "all",
		"policy:approve": "all",
		"job:approve": "all",
	},
	data_scientist: {
		"job:read": "own",
		"job:submit": "own",
		"job:cancel": "own",
		"quote:ask": "own",
		"capacity:read": "all",
		"instance:read": "own",
		"policy:read": "all",
		"budget:read": "all",
		"spend:read": "own",
		"charge:read": "own",
		"statement:read": "own",
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
		"audit:read": "all",
	},
};

/** The roles that may do it for all teams. */
export function rolesWith(permission: Permission): Role[] {
	return (Object.keys(GRANTS) as Role[]).filter((role) => GRANTS[role][permission] === "all");
}

/**
 * The teams that the actor may do this for: null is all of them.
 * @throws SpillwayError `forbidden` when the role may not do it at all.
 */
export function teamScope(ctx: Pick<ServiceContext, "actor">, permission: Permission): readonly string[] | null {
	if (ctx.actor.kind === "system") return null;
	const grant = GRANTS[ctx.actor.role][permission];
	if (!grant) {
		throw new SpillwayError("forbidden", `Your role (${ctx.actor.role}) does not allow ${permission}.`, {
			fix: "Ask a platform engineer for it.",
		});
	}
	return grant === "all" ? null : ctx.actor.teams;
}

/** @throws SpillwayError `forbidden` when the actor may not do it for this team. */
export function authorize(ctx: Pick<ServiceContext, "actor">, permission: Permission, team: string | null): void {
	const scope = teamScope(ctx, permission);
	if (scope === null || team === null || scope.includes(team)) return;
	throw new SpillwayError("forbidden", `You are not a member of team "${team}", so ${permission} is refused.`, {
		fix: scope.length > 0 ? `Your teams: ${scope.join(", ")}.` : "Ask a platform engineer to add you to a team.",
	});
}
