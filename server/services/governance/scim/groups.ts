import { and, asc, count, eq, inArray, type SQL } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { scimGroup, scimMember, scimUser } from "#server/db/schema/scim.ts";
import type { GroupMap } from "#server/domain/group-map.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { lockGroupMappings, mergeGroupMap } from "#server/services/core/group-map.ts";
import { applyGroups } from "./apply-groups.ts";
import type { ScimPage } from "./users.ts";

export interface ScimGroup {
	id: string;
	displayName: string;
	externalId: string | null;
	members: string[];
	createdAt: Date;
}
export type ScimGroupInput = Pick<ScimGroup, "displayName" | "externalId" | "members">;
/** `groupMap`: the process's OIDC_GROUP_MAP. */
export type GroupContext = ServiceContext & { groupMap: GroupMap };

export async function listScimGroups(ctx: ServiceContext, { filter, startIndex, count: size }: ScimPage) {
	authorize(ctx, "account:manage", null);
	const where = filter === null ? undefined : filterOf(filter.attribute, filter.value);
	const [total] = await ctx.db.select({ total: count() }).from(scimGroup).where(where);
	const rows = await ctx.db
		.select()
		.from(scimGroup)
		.where(where)
		.orderBy(asc(scimGroup.id))
		.limit(size)
		.offset(startIndex - 1);
	const members = await ctx.db
		.select()
		.from(scimMember)
		.where(
			inArray(
				scimMember.groupId,
				rows.map(({ id }) => id),
			),
		);
	const byGroup = Map.groupBy(members, ({ groupId }) => groupId);
	const items = rows.map((row): ScimGroup => ({ ...row, members: (byGroup.get(row.id) ?? []).map(({ accountId }) => accountId).sort() }));
	return { total: total?.total ?? 0, items };
}

function filterOf(attribute: string, value: string): SQL {
	if (attribute === "id") return eq(scimGroup.id, value);
	return attribute === "externalId" ? eq(scimGroup.externalId, value) : eq(scimGroup.displayName, value);
}

/** @throws SpillwayError `not_found` */
export async function getScimGroup(ctx: ServiceContext, id: string): Promise<ScimGroup> {
	const { items } = await listScimGroups(ctx, { filter: { attribute: "id", value: id }, startIndex: 1, count: 1 });
	const [found] = items;
	if (!found) throw new SpillwayError("not_found", `There is no group ${id}.`);
	return found;
}

/** @throws SpillwayError `conflict` when the name is taken; `invalid_input` for unknown members */
export async function createScimGroup(ctx: GroupContext, input: ScimGroupInput): Promise<ScimGroup> {
	authorize(ctx, "account:manage", null);
	const nowMs = ctx.clock.nowMs();
	const id = newId("grp", nowMs);
	await ctx.db.transaction(async (tx) => {
		const { displayName, externalId } = input;
		const made = await tx
			.insert(scimGroup)
			.values({ id, displayName, externalId, createdAt: new Date(nowMs) })
			.onConflictDoNothing()
			.returning({ id: scimGroup.id });
		if (made.length === 0) throw new SpillwayError("conflict", `A group named ${displayName} exists.`);
		await writeMembers(tx, id, input.members);
		await writeAudit(tx, ctx, { action: "group.create", subject: `group:${id}`, after: input });
		await applyRights(tx, ctx, input.members);
	});
	return getScimGroup(ctx, id);
}

/** Changes a group and the permissions of everyone who is or was in it. @throws SpillwayError `not_found`, `conflict`, `invalid_input` */
export async function updateScimGroup(
	ctx: GroupContext,
	id: string,
	change: (group: ScimGroup) => Partial<ScimGroupInput>,
): Promise<ScimGroup> {
	authorize(ctx, "account:manage", null);
	await ctx.db.transaction(async (tx) => {
		// Serializes changes of one group, so that of two additions both count.
		await tx.select({ id: scimGroup.id }).from(scimGroup).where(eq(scimGroup.id, id)).for("update");
		const before = await getScimGroup({ ...ctx, db: tx }, id);
		const after = { ...before, ...change(before) };
		const [same] = await tx.select({ id: scimGroup.id }).from(scimGroup).where(eq(scimGroup.displayName, after.displayName));
		if (same && same.id !== id) throw new SpillwayError("conflict", `A group named ${after.displayName} exists.`);
		await tx.update(scimGroup).set({ displayName: after.displayName, externalId: after.externalId }).where(eq(scimGroup.id, id));
		const gone = before.members.filter((member) => !after.members.includes(member));
		if (gone.length > 0) await tx.delete(scimMember).where(and(eq(scimMember.groupId, id), inArray(scimMember.accountId, gone)));
		await writeMembers(tx, id, after.members);
		const facts = ({ displayName, externalId, members }: ScimGroupInput) => ({ displayName, externalId, members });
		await writeAudit(tx, ctx, { action: "group.update", subject: `group:${id}`, before: facts(before), after: facts(after) });
		await applyRights(tx, ctx, [...before.members, ...after.members]);
	});
	return getScimGroup(ctx, id);
}

/** @throws SpillwayError `not_found` */
export async function deleteScimGroup(ctx: GroupContext, id: string): Promise<void> {
	authorize(ctx, "account:manage", null);
	await ctx.db.transaction(async (tx) => {
		const { displayName, externalId, members } = await getScimGroup({ ...ctx, db: tx }, id);
		await tx.delete(scimGroup).where(eq(scimGroup.id, id));
		await writeAudit(tx, ctx, { action: "group.delete", subject: `group:${id}`, before: { displayName, externalId, members } });
		await applyRights(tx, ctx, members);
	});
}

/** With the mappings locked, so that a concurrent change in Settings either sees these members or is seen here. */
async function applyRights(tx: Tx, ctx: GroupContext, members: readonly string[]): Promise<void> {
	await applyGroups(tx, ctx, mergeGroupMap(ctx.groupMap, await lockGroupMappings(tx)), members);
}

async function writeMembers(tx: Tx, groupId: string, members: readonly string[]): Promise<void> {
	if (members.length === 0) return;
	const ids = [...new Set(members)];
	const known = await tx.select({ id: scimUser.accountId }).from(scimUser).where(inArray(scimUser.accountId, ids));
	if (known.length < ids.length) throw new SpillwayError("invalid_input", "A member is not a user of this installation.");
	await tx
		.insert(scimMember)
		.values(ids.map((accountId) => ({ groupId, accountId })))
		.onConflictDoNothing();
}
