import { and, asc, eq, isNull, sql } from "drizzle-orm";
import type { z } from "zod";
import { createAccountInput } from "#server/contract/inputs/account.ts";
import type { Tx } from "#server/db/client.ts";
import { account, identity } from "#server/db/schema/account.ts";
import type { Role } from "#server/domain/vocabulary.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { findRole } from "#server/services/core/custom-role.ts";
import { requireTeams } from "#server/services/core/teams.ts";
import { isAdministrator, requireAnotherAdministrator } from "./administrators.ts";
import { lockAddress } from "./lock-address.ts";

const INVITATION_DAYS = 7;
const LIST_MAX = 2_000;

/** @throws SpillwayError `forbidden`; `conflict` when the address is taken; `invalid_input` for an unknown role or team; ZodError */
export async function createAccount(ctx: ServiceContext, raw: z.input<typeof createAccountInput>): Promise<{ id: string }> {
	authorize(ctx, "account:manage", null);
	const { email, name, role: wanted, teams, service } = createAccountInput.parse(raw);
	const nowMs = ctx.clock.nowMs();
	return ctx.db.transaction(async (tx) => {
		await lockAddress(tx, email);
		const [taken] = await tx.select({ id: account.id }).from(account).where(sql`lower(${account.email}) = ${email.toLowerCase()}`);
		if (taken)
			throw new SpillwayError("conflict", "An account has this address.", {
				fields: [{ path: "email", message: "An account has this address. Use another, or change that account." }],
			});
		await requireTeams(tx, teams);
		const role = await findRole(tx, wanted);
		const id = newId("usr", nowMs);
		const invitedUntil = service ? null : new Date(nowMs + INVITATION_DAYS * DAY_MS);
		await tx.insert(account).values({ id, email, name, ...role, teams, service, invitedUntil, createdAt: new Date(nowMs) });
		await writeAudit(tx, ctx, { action: "account.create", subject: `account:${id}`, after: { email, name, role: wanted, teams, service } });
		return { id };
	});
}

/** Allows the next sign-in with the account's verified address to be linked, for 7 days. @throws SpillwayError `not_found`, `conflict` */
export function inviteAccount(ctx: ServiceContext, id: string): Promise<{ id: string }> {
	return change(ctx, id, "account.invite", (row) => {
		if (row.service || row.demo || row.disabledAt)
			throw new SpillwayError("conflict", "Service, demo and disabled accounts cannot be invited.");
		return { invitedUntil: new Date(ctx.clock.nowMs() + INVITATION_DAYS * DAY_MS) };
	});
}

/**
 * Disables an account: its sessions and tokens end immediately, until it is enabled again. @throws SpillwayError `not_found`, `conflict`
 * for one's own
 */
export function disableAccount(ctx: ServiceContext, id: string): Promise<{ id: string }> {
	return change(ctx, id, "account.disable", async (row, tx) => {
		if (actorName(ctx.actor) === `account:${id}`) throw new SpillwayError("conflict", "You cannot disable your own account.");
		if (isAdministrator(row) && !row.service && row.disabledAt === null) await requireAnotherAdministrator(tx, ctx, id);
		return { disabledAt: new Date(ctx.clock.nowMs()), invitedUntil: null, sessionEpoch: sql`${account.sessionEpoch} + 1` };
	});
}

export function enableAccount(ctx: ServiceContext, id: string): Promise<{ id: string }> {
	return change(ctx, id, "account.enable", () => ({ disabledAt: null }));
}

type Row = typeof account.$inferSelect;
type Changes = Parameters<ReturnType<Tx["update"]>["set"]>[0];

async function change(
	ctx: ServiceContext,
	id: string,
	action: string,
	changesOf: (row: Row, tx: Tx) => Changes | Promise<Changes>,
): Promise<{ id: string }> {
	authorize(ctx, "account:manage", null);
	return ctx.db.transaction(async (tx) => {
		const [row] = await tx.select().from(account).where(eq(account.id, id)).for("update");
		if (!row) throw new SpillwayError("not_found", `There is no account ${id}.`);
		await tx
			.update(account)
			.set(await changesOf(row, tx))
			.where(eq(account.id, id));
		await writeAudit(tx, ctx, { action, subject: `account:${id}` });
		return { id };
	});
}

/**
 * Decides a sign-in that waits because its address belongs to an existing person: `link` assigns it that account.
 * @throws SpillwayError `not_found` when no pending sign-in has this id
 */
export async function answerIdentity(ctx: ServiceContext, id: string, answer: "link" | "reject"): Promise<{ id: string }> {
	authorize(ctx, "account:manage", null);
	const isWaiting = and(eq(identity.id, id), isNull(identity.linkedAt));
	return ctx.db.transaction(async (tx) => {
		const by = actorName(ctx.actor);
		const [row] =
			answer === "reject"
				? await tx.delete(identity).where(isWaiting).returning()
				: await tx
						.update(identity)
						.set({ linkedAt: new Date(ctx.clock.nowMs()), linkedBy: by })
						.where(isWaiting)
						.returning();
		if (!row) throw new SpillwayError("not_found", `No sign-in ${id} is waiting.`);
		const { issuer, subject, email } = row;
		const action = answer === "link" ? "account.link_identity" : "account.reject_identity";
		await writeAudit(tx, ctx, { action, subject: `account:${row.accountId}`, after: { issuer, subject, email } });
		return { id };
	});
}

export interface AccountView {
	id: string;
	email: string;
	name: string;
	/** The built-in role; for a custom role, the one that it restricts. */
	role: Role;
	customRole: string | null;
	teams: string[];
	kind: "person" | "service" | "demo";
	hasPassword: boolean;
	disabledAt: string | null;
	invitedUntil: string | null;
	identities: { id: string; issuer: string; subject: string; email: string; linkedAt: string | null; lastSignInAt: string | null }[];
}

/** Accounts with their identities; those without `linkedAt` are pending. */
export async function listAccounts(ctx: ServiceContext): Promise<AccountView[]> {
	authorize(ctx, "account:manage", null);
	const [rows, identities] = await Promise.all([
		ctx.db.select().from(account).orderBy(asc(account.name), asc(account.id)).limit(LIST_MAX),
		ctx.db.select().from(identity).orderBy(asc(identity.createdAt)),
	]);
	const byAccount = Map.groupBy(identities, (i) => i.accountId);
	return rows.map((row) => ({
		...{ id: row.id, email: row.email, name: row.name, role: row.role, customRole: row.customRole, teams: row.teams },
		kind: row.service ? "service" : row.demo ? "demo" : "person",
		hasPassword: row.passwordHash !== null,
		disabledAt: row.disabledAt?.toISOString() ?? null,
		invitedUntil: row.invitedUntil?.toISOString() ?? null,
		identities: (byAccount.get(row.id) ?? []).map((i) => ({
			...{ id: i.id, issuer: i.issuer, subject: i.subject, email: i.email },
			linkedAt: i.linkedAt?.toISOString() ?? null,
			lastSignInAt: i.lastSignInAt?.toISOString() ?? null,
		})),
	}));
}
