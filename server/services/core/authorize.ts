import { GRANTS, type Permission } from "#server/domain/permissions.ts";
import { scopeOf } from "#server/domain/token-scopes.ts";
import type { Role } from "#server/domain/vocabulary.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { ServiceContext } from "./context.ts";

/** What a job may do with its own token. Services of the tracking API restrict it to the job's own runs. */
const JOB_PERMISSIONS: readonly Permission[] = ["job:read", "job:submit", "artifact:read", "artifact:delete"];

/** The roles that may do it for all teams. */
export function rolesWith(permission: Permission): Role[] {
	return (Object.keys(GRANTS) as Role[]).filter((role) => GRANTS[role][permission] === "all");
}

/**
 * Teams for which the actor may do this; null for all teams.
 * @throws SpillwayError `forbidden` when the role may not do it at all.
 */
export function teamScope(ctx: Pick<ServiceContext, "actor">, permission: Permission): readonly string[] | null {
	if (ctx.actor.kind === "system") return null;
	if (ctx.actor.kind === "job") {
		if (JOB_PERMISSIONS.includes(permission)) return ctx.actor.teams;
		throw new SpillwayError("forbidden", `The token of a job does not allow ${permission}.`, { fix: "Use a token of a person." });
	}
	const grant = GRANTS[ctx.actor.role][permission];
	if (!grant) {
		throw new SpillwayError("forbidden", `Your role (${ctx.actor.role}) does not allow ${permission}.`, {
			fix: "Ask a platform engineer for access.",
		});
	}
	const { customRole, scopes } = ctx.actor;
	if (customRole && !customRole.permissions.includes(permission)) {
		throw new SpillwayError("forbidden", `Your role "${customRole.name}" lacks the permission ${permission}.`, {
			fix: "Ask an administrator to add it to the role, or for another role.",
		});
	}
	if (scopes && !scopes.includes(scopeOf(permission))) {
		throw new SpillwayError("forbidden", `The token lacks the scope "${scopeOf(permission)}", which ${permission} needs.`, {
			fix: `Create a token with this scope. This one has: ${scopes.join(", ")}.`,
		});
	}
	return grant === "all" ? null : ctx.actor.teams;
}

/** @throws SpillwayError `forbidden` when the actor may not do it for this team. */
export function authorize(ctx: Pick<ServiceContext, "actor">, permission: Permission, team: string | null): void {
	const scope = teamScope(ctx, permission);
	if (scope === null || team === null || scope.includes(team)) return;
	throw new SpillwayError("forbidden", `${permission} requires membership of team "${team}".`, {
		fix: scope.length > 0 ? `Your teams: ${scope.join(", ")}.` : "Ask a platform engineer to add you to a team.",
	});
}

/**
 * Like authorize, for an entity found by its id: another team's is reported as missing, so that ids reveal nothing.
 * @throws SpillwayError `forbidden` when the role lacks the permission, `missing()` for another team's entity
 */
export function authorizeFound(
	ctx: Pick<ServiceContext, "actor">,
	permission: Permission,
	found: { team: string } | undefined,
	missing: () => SpillwayError,
): void {
	const scope = teamScope(ctx, permission);
	if (found === undefined || (scope !== null && !scope.includes(found.team))) throw missing();
}

/** For pages that offer an action only to people who may take it; the action authorizes again. */
export function allows(ctx: Pick<ServiceContext, "actor">, permission: Permission, team: string | null): boolean {
	try {
		authorize(ctx, permission, team);
		return true;
	} catch (error) {
		if (error instanceof SpillwayError && error.code === "forbidden") return false;
		throw error;
	}
}
