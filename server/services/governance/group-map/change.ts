import { eq } from "drizzle-orm";
import type { z } from "zod";
import { removeGroupMappingInput, setGroupMappingInput } from "#server/contract/inputs/group-mapping.ts";
import type { Tx } from "#server/db/client.ts";
import { scimGroup, scimMember } from "#server/db/schema/scim.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { ownValue } from "#server/kernel/own-value.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { findRole } from "#server/services/core/custom-role.ts";
import { lockGroupMappings, mergeGroupMap, type StoredMappings, writeGroupMappings } from "#server/services/core/group-map.ts";
import { requireTeams } from "#server/services/core/teams.ts";
import { applyGroups } from "../scim/apply-groups.ts";
import type { GroupMapContext, GroupMappingView } from "./list.ts";

/**
 * Maps a group, or changes its mapping. SCIM members of the group change immediately; people who sign in without SCIM change at their next
 * sign-in.
 * @throws SpillwayError `forbidden`; `invalid_input` for an unknown role or team; `conflict` for the last administrator; ZodError
 */
export async function setGroupMapping(ctx: GroupMapContext, raw: z.input<typeof setGroupMappingInput>): Promise<GroupMappingView> {
	authorize(ctx, "account:manage", null);
	const { group, role, team } = setGroupMappingInput.parse(raw);
	return ctx.db.transaction(async (tx) => {
		if (team !== null) await requireTeams(tx, [team], "team");
		const before = await lockGroupMappings(tx);
		const assigned = role === null ? { role, customRole: null } : await findRole(tx, role);
		const rest = Object.entries(before).filter(([name]) => name !== group);
		await save(tx, ctx, group, { before, after: Object.fromEntries([...rest, [group, { ...assigned, team }]]) });
		return { group, ...assigned, team, source: "settings" as const };
	});
}

/** @throws SpillwayError `forbidden`; `not_found` when Settings has no such mapping; `conflict` for the last administrator; ZodError */
export async function removeGroupMapping(ctx: GroupMapContext, raw: z.input<typeof removeGroupMappingInput>): Promise<{ group: string }> {
	authorize(ctx, "account:manage", null);
	const { group } = removeGroupMappingInput.parse(raw);
	await ctx.db.transaction(async (tx) => {
		const before = await lockGroupMappings(tx);
		if (!Object.hasOwn(before, group))
			throw new SpillwayError("not_found", `Settings has no mapping of the group "${group}".`, {
				fix: "Mappings of OIDC_GROUP_MAP are changed in the web server's settings.",
			});
		await save(tx, ctx, group, { before, after: Object.fromEntries(Object.entries(before).filter(([name]) => name !== group)) });
	});
	return { group };
}

async function save(tx: Tx, ctx: GroupMapContext, group: string, of: { before: StoredMappings; after: StoredMappings }): Promise<void> {
	await writeGroupMappings(tx, of.after);
	await writeAudit(tx, ctx, {
		...{ action: "group_mapping.set", subject: `group_mapping:${group}` },
		...{ before: ownValue(of.before, group) ?? null, after: ownValue(of.after, group) ?? null },
	});
	const members = await tx
		.select({ id: scimMember.accountId })
		.from(scimMember)
		.innerJoin(scimGroup, eq(scimGroup.id, scimMember.groupId))
		.where(eq(scimGroup.displayName, group));
	await applyGroups(
		tx,
		ctx,
		mergeGroupMap(ctx.groupMap, of.after),
		members.map(({ id }) => id),
	);
}
