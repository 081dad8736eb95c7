import { asc, count, eq, type SQL, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { account } from "#server/db/schema/account.ts";
import { scimMember, scimUser } from "#server/db/schema/scim.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { lockAddress } from "../account/lock-address.ts";
import { disableAccount, enableAccount } from "../account/manage.ts";

export interface ScimUser {
	id: string;
	userName: string;
	externalId: string | null;
	name: string;
	email: string;
	active: boolean;
	createdAt: Date;
}
export type ScimUserInput = Pick<ScimUser, "userName" | "externalId" | "name" | "email" | "active">;
export interface ScimFilter {
	attribute: "id" | "userName" | "externalId" | "displayName";
	value: string;
}
export interface ScimPage {
	filter: ScimFilter | null;
	startIndex: number;
	count: number;
}

/** The identity provider vouches for the person, so the first sign-in is linked however late it is. */
const INVITATION_DAYS = 3_650;

const columns = {
	...{ id: scimUser.accountId, userName: scimUser.userName, externalId: scimUser.externalId, name: account.name, email: account.email },
	...{ active: sql<boolean>`${account.disabledAt} is null`, createdAt: scimUser.createdAt },
};

export async function listScimUsers(ctx: ServiceContext, { filter, startIndex, count: size }: ScimPage) {
	authorize(ctx, "account:manage", null);
	const where = filter === null ? undefined : filterOf(filter);
	const [total] = await ctx.db.select({ total: count() }).from(scimUser).where(where);
	const items = await ctx.db
		.select(columns)
		.from(scimUser)
		.innerJoin(account, eq(account.id, scimUser.accountId))
		.where(where)
		.orderBy(asc(scimUser.accountId))
		.limit(size)
		.offset(startIndex - 1);
	return { total: total?.total ?? 0, items };
}

function filterOf({ attribute, value }: ScimFilter): SQL {
	if (attribute === "id") return eq(scimUser.accountId, value);
	if (attribute === "externalId") return eq(scimUser.externalId, value);
	return eq(sql`lower(${scimUser.userName})`, value.toLowerCase());
}

/** @throws SpillwayError `not_found` */
export async function getScimUser(ctx: ServiceContext, id: string): Promise<ScimUser> {
	const { items } = await listScimUsers(ctx, { filter: { attribute: "id", value: id }, startIndex: 1, count: 1 });
	const [found] = items;
	if (!found) throw noUser(id);
	return found;
}

/**
 * Creates an account without a role in any team, or takes over the management of the person with this address.
 * @throws SpillwayError `conflict` for a name or address already used by SCIM, a service or a demo account
 */
export async function createScimUser(ctx: ServiceContext, input: ScimUserInput): Promise<ScimUser> {
	authorize(ctx, "account:manage", null);
	const nowMs = ctx.clock.nowMs();
	const at = new Date(nowMs);
	const id = await ctx.db.transaction(async (tx) => {
		await lockAddress(tx, input.email);
		const [known] = await tx
			.select()
			.from(account)
			.where(eq(sql`lower(${account.email})`, input.email.toLowerCase()))
			.for("update");
		if (known && (known.service || known.demo)) throw taken(`The account of ${input.email} is no person's.`);
		const accountId = known?.id ?? newId("usr", nowMs);
		const { email, name } = input;
		const fresh = { id: accountId, email, name, role: "data_scientist" as const, teams: [], createdAt: at };
		if (!known) await tx.insert(account).values({ ...fresh, invitedUntil: new Date(nowMs + INVITATION_DAYS * DAY_MS) });
		const made = await tx
			.insert(scimUser)
			.values({ accountId, userName: input.userName, externalId: input.externalId, createdAt: at })
			.onConflictDoNothing()
			.returning({ id: scimUser.accountId });
		if (made.length === 0) throw taken(`A user named ${input.userName} exists.`);
		await writeAudit(tx, ctx, { action: "account.provision", subject: `account:${accountId}`, after: { ...input, created: !known } });
		return accountId;
	});
	if (!input.active) await disableAccount(ctx, id);
	return getScimUser(ctx, id);
}

/**
 * Changes the given fields; `active` false ends sessions and tokens within 5 seconds. @throws SpillwayError `not_found`,
 * `conflict`
 */
export async function updateScimUser(ctx: ServiceContext, id: string, changes: Partial<ScimUserInput>): Promise<ScimUser> {
	const before = await getScimUser(ctx, id);
	const after = { ...before, ...changes };
	await ctx.db.transaction(async (tx) => {
		await requireFreeName(tx, id, after);
		await tx.update(account).set({ name: after.name, email: after.email }).where(eq(account.id, id));
		await tx.update(scimUser).set({ userName: after.userName, externalId: after.externalId }).where(eq(scimUser.accountId, id));
		const names = (user: ScimUser) => ({ userName: user.userName, externalId: user.externalId, name: user.name, email: user.email });
		if (JSON.stringify(names(before)) !== JSON.stringify(names(after)))
			await writeAudit(tx, ctx, { action: "account.update", subject: `account:${id}`, before: names(before), after: names(after) });
	});
	if (before.active && !after.active) await disableAccount(ctx, id);
	if (!before.active && after.active) await enableAccount(ctx, id);
	return getScimUser(ctx, id);
}

async function requireFreeName(tx: Tx, id: string, { userName, email }: ScimUser): Promise<void> {
	const named = await tx
		.select({ id: scimUser.accountId })
		.from(scimUser)
		.where(eq(sql`lower(${scimUser.userName})`, userName.toLowerCase()));
	const addressed = await tx
		.select({ id: account.id })
		.from(account)
		.where(eq(sql`lower(${account.email})`, email.toLowerCase()));
	if ([...named, ...addressed].some((row) => row.id !== id)) throw taken("Another account has this name or address.");
}

/** Ends the person's access and their management by SCIM. Their jobs continue under their teams. @throws SpillwayError `not_found` */
export async function deleteScimUser(ctx: ServiceContext, id: string): Promise<void> {
	await getScimUser(ctx, id);
	await disableAccount(ctx, id);
	await ctx.db.transaction(async (tx) => {
		await tx.delete(scimMember).where(eq(scimMember.accountId, id));
		await tx.delete(scimUser).where(eq(scimUser.accountId, id));
		await tx.update(account).set({ teams: [] }).where(eq(account.id, id));
		await writeAudit(tx, ctx, { action: "account.deprovision", subject: `account:${id}` });
	});
}

function noUser(id: string): SpillwayError {
	return new SpillwayError("not_found", `There is no user ${id}.`);
}

function taken(message: string): SpillwayError {
	return new SpillwayError("conflict", message);
}
