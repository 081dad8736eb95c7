import { eq, inArray, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { account, team } from "#server/db/schema/account.ts";
import { scimGroup, scimMember } from "#server/db/schema/scim.ts";
import { type GroupMap, rightsOfGroups } from "#server/domain/group-map.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { isAdministrator, requireAnotherAdministrator } from "../account/administrators.ts";

/**
 * Gives accounts the role and teams of their groups; missing teams are skipped. Reduced permissions end their sessions.
 * @throws SpillwayError `conflict` for the last administrator
 */
export async function applyGroups(tx: Tx, ctx: ServiceContext, map: GroupMap, accountIds: readonly string[]): Promise<void> {
	if (accountIds.length === 0) return;
	const ids = [...new Set(accountIds)].sort();
	const rows = await tx.select().from(account).where(inArray(account.id, ids)).orderBy(account.id).for("update");
	const memberships = await tx
		.select({ accountId: scimMember.accountId, group: scimGroup.displayName })
		.from(scimMember)
		.innerJoin(scimGroup, eq(scimGroup.id, scimMember.groupId))
		.where(inArray(scimMember.accountId, ids));
	const groups = Map.groupBy(memberships, ({ accountId }) => accountId);
	const known = new Set((await tx.select({ name: team.name }).from(team)).map(({ name }) => name));
	for (const row of rows) {
		const mapped = rightsOfGroups(
			(groups.get(row.id) ?? []).map(({ group }) => group),
			map,
		);
		const after = {
			role: mapped?.role ?? ("data_scientist" as const),
			customRole: mapped?.customRole ?? null,
			teams: (mapped?.teams ?? []).filter((name) => known.has(name)),
		};
		const before = { role: row.role, customRole: row.customRole, teams: row.teams };
		const isSameRole = before.role === after.role && before.customRole === after.customRole;
		if (isSameRole && [...before.teams].sort().join() === after.teams.join()) continue;
		if (isAdministrator(before) && !isAdministrator(after) && row.disabledAt === null) await requireAnotherAdministrator(tx, ctx, row.id);
		const lost = !isSameRole || before.teams.some((name) => !after.teams.includes(name));
		await tx
			.update(account)
			.set({ ...after, ...(lost && { sessionEpoch: sql`${account.sessionEpoch} + 1` }) })
			.where(eq(account.id, row.id));
		await writeAudit(tx, ctx, { action: "account.update", subject: `account:${row.id}`, before, after });
	}
}
