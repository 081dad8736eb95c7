import { z } from "zod";
import { ownValue } from "../kernel/own-value.ts";
import { NAME as TEAM_NAME } from "./schema/values.ts";
import { ROLES, type Role } from "./vocabulary.ts";

const TEAMS_MAX = 50;

/** How an issuer's groups map to a role and teams. Keys are group names, or ids when the issuer sends ids (Entra). */
export const groupMapSchema = z.strictObject({
	roles: z.record(z.string().min(1).max(256), z.enum(ROLES)).default({}),
	teams: z.record(z.string().min(1).max(256), z.string().regex(TEAM_NAME)).default({}),
	/** Members of the group `<teamPrefix><team>` are members of that team; "" turns this off. */
	teamPrefix: z.string().max(64).default(""),
});
/** `customRoles`: the custom role of a group, which restricts its role; only mappings of Settings have one. */
export type GroupMap = z.infer<typeof groupMapSchema> & { customRoles?: Record<string, string> };

/** Used when OIDC_GROUP_MAP is unset. */
export const DEFAULT_GROUP_MAP: GroupMap = {
	roles: { "spillway-platform": "platform", "spillway-finance": "finance", "spillway-data-scientist": "data_scientist" },
	teams: {},
	teamPrefix: "spillway-team-",
};

export interface Rights {
	role: Role;
	/** Restricts `role`; null: everything the role allows. */
	customRole: string | null;
	teams: string[];
}

/**
 * Role and teams of the mapped groups; null when no group is mapped. Precedence of roles: platform, finance, data scientist. A built-in role
 * precedes the custom roles based on it, which are in order of their names.
 */
export function rightsOfGroups(groups: readonly string[], map: GroupMap): Rights | null {
	const roles = new Set(groups.map((group) => ownValue(map.roles, group)));
	const teams = new Set(groups.flatMap((group) => teamOfGroup(group, map) ?? []));
	const role = (["platform", "finance", "data_scientist"] as const).find((r) => roles.has(r));
	if (role === undefined && teams.size === 0) return null;
	const givers = groups.filter((group) => role !== undefined && ownValue(map.roles, group) === role);
	const custom = givers.map((group) => ownValue(map.customRoles ?? {}, group) ?? null);
	const customRole = custom.includes(null) ? null : (custom.sort()[0] ?? null);
	return { role: role ?? "data_scientist", customRole, teams: [...teams].sort().slice(0, TEAMS_MAX) };
}

/** Group names that are not valid team names (empty, `*`, control characters) grant no membership. */
function teamOfGroup(group: string, map: GroupMap): string | undefined {
	const mapped = ownValue(map.teams, group);
	if (mapped !== undefined) return mapped;
	if (map.teamPrefix === "" || !group.startsWith(map.teamPrefix)) return undefined;
	const name = group.slice(map.teamPrefix.length);
	return TEAM_NAME.test(name) ? name : undefined;
}
