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
	| "policy:read"
	| "budget:read"
	| "spend:read"
	| "audit:read";

/** `all`: for every team; `own`: for the person's teams only. */
const GRANTS: Record<Role, Partial<Record<Permission, "all" | "own">>> = {
	platform: {
		"job:read": "all",
		"job:submit": "all",
		"job:cancel": "all",
		"quote:ask": "all",
		"capacity:read": "all",
		"instance:read": "all",
		"policy:read": "all",
		"budget:read": "all",
		"spend:read": "all",
		"audit:read": "all",
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
	},
	finance: {
		"job:read": "all",
		"capacity:read": "all",
		"instance:read": "all",
		"policy:read": "all",
		"budget:read": "all",
		"spend:read": "all",
	},
};

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
