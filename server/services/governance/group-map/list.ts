import { asc, eq, inArray, sql } from "drizzle-orm";
import type { z } from "zod";
import { checkGroupsInput } from "#server/contract/inputs/group-mapping.ts";
import { team } from "#server/db/schema/account.ts";
import { scimGroup, scimMember } from "#server/db/schema/scim.ts";
import { type GroupMap, rightsOfGroups } from "#server/domain/group-map.ts";
import type { Role } from "#server/domain/vocabulary.ts";
import { ownValue } from "#server/kernel/own-value.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { effectiveGroupMap, mergeGroupMap, readGroupMappings } from "#server/services/core/group-map.ts";

/** `groupMap`: the process's OIDC_GROUP_MAP. */
export type GroupMapContext = ServiceContext & { groupMap: GroupMap };

export interface GroupMappingView {
	group: string;
	role: Role | null;
	/** Restricts `role`; null: everything the role allows. */
	customRole: string | null;
	team: string | null;
	source: "settings" | "process";
}

/** Mappings by group's name, and groups sent by SCIM. @throws SpillwayError `forbidden` */
export async function listGroupMappings(ctx: GroupMapContext) {
	authorize(ctx, "account:manage", null);
	const [stored, groups] = await Promise.all([
		readGroupMappings(ctx.db),
		ctx.db
			.select({ group: scimGroup.displayName, people: sql<number>`count(${scimMember.accountId})`.mapWith(Number) })
			.from(scimGroup)
			.leftJoin(scimMember, eq(scimMember.groupId, scimGroup.id))
			.groupBy(scimGroup.displayName)
			.orderBy(asc(scimGroup.displayName)),
	]);
	const map = mergeGroupMap(ctx.groupMap, stored);
	const names = [...new Set([...Object.keys(map.roles), ...Object.keys(map.teams)])].sort();
	return {
		mappings: names.map(
			(group): GroupMappingView => ({
				...{ group, role: ownValue(map.roles, group) ?? null, team: ownValue(map.teams, group) ?? null },
				customRole: ownValue(map.customRoles ?? {}, group) ?? null,
				source: Object.hasOwn(stored, group) ? "settings" : "process",
			}),
		),
		teamPrefix: map.teamPrefix,
		seen: groups.map((row) => ({ ...row, isMapped: rightsOfGroups([row.group], map) !== null })),
	};
}

/** Role and teams of a person in these groups. @throws SpillwayError `forbidden`; ZodError */
export async function checkGroups(ctx: GroupMapContext, raw: z.input<typeof checkGroupsInput>) {
	authorize(ctx, "account:manage", null);
	const { groups } = checkGroupsInput.parse(raw);
	const map = await effectiveGroupMap(ctx.db, ctx.groupMap);
	const rights = rightsOfGroups(groups, map);
	const wanted = rights?.teams ?? [];
	const known =
		wanted.length === 0
			? []
			: (await ctx.db.select({ name: team.name }).from(team).where(inArray(team.name, wanted))).map(({ name }) => name);
	return {
		role: rights?.role ?? null,
		customRole: rights?.customRole ?? null,
		teams: wanted.filter((name) => known.includes(name)),
		missingTeams: wanted.filter((name) => !known.includes(name)),
		unmapped: groups.filter((group) => rightsOfGroups([group], map) === null),
	};
}
