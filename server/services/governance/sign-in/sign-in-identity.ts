import { isDeepStrictEqual } from "node:util";
import { and, eq, sql } from "drizzle-orm";
import type { Db, Tx } from "#server/db/client.ts";
import { account, identity, team } from "#server/db/schema/account.ts";
import type { Rights } from "#server/domain/group-map.ts";
import type { OidcPerson } from "#server/domain/oidc-person.ts";
import { newId } from "#server/kernel/ids.ts";
import { writeAccountAudit } from "#server/services/core/audit.ts";
import { lockAddress } from "../account/lock-address.ts";

/** Why a person gets no session although the issuer signed them in. The sign-in page has a message for each. */
export const SIGN_IN_REFUSALS = ["no_group", "no_email", "email_unverified", "needs_approval", "not_a_person", "disabled"] as const;
export type SignInRefusal = (typeof SIGN_IN_REFUSALS)[number];

export type SignInResult = { accountId: string; refusal?: undefined } | { accountId?: undefined; refusal: SignInRefusal };

interface At {
	nowMs: number;
	source: string | null;
}

type AccountRow = typeof account.$inferSelect;

/**
 * Finds, creates or rejects the account of a person signed in by the issuer. Accounts belong to an issuer's subject, never to an address:
 * an address only proposes a link, which an invitation or an administrator's approval makes.
 */
export function signInIdentity(db: Db, person: OidcPerson, at: At): Promise<SignInResult> {
	return db.transaction(async (tx) => {
		// Two concurrent first sign-ins of one person would both create the account.
		await tx.execute(sql`select pg_advisory_xact_lock(hashtext('identity'), hashtext(${`${person.issuer} ${person.subject}`}))`);
		const [known] = await tx
			.select({ identity, account })
			.from(identity)
			.innerJoin(account, eq(account.id, identity.accountId))
			.where(and(eq(identity.issuer, person.issuer), eq(identity.subject, person.subject)))
			.for("update");
		if (known?.identity.linkedAt) return refreshAccount(tx, known.account, person, at);
		if (person.rights === null) return { refusal: "no_group" };
		if (person.email === null) return { refusal: "no_email" };
		if (!person.emailVerified) return { refusal: "email_unverified" };
		const { email, rights } = { email: person.email, rights: person.rights };
		await lockAddress(tx, email);
		const [owner] = await tx.select().from(account).where(sql`lower(${account.email}) = ${email.toLowerCase()}`).for("update");
		if (!owner) return createAccount(tx, { ...person, email, rights }, at);
		if (owner.service || owner.demo) return { refusal: "not_a_person" };
		if (owner.disabledAt) return { refusal: "disabled" };
		const isInvited = owner.invitedUntil !== null && owner.invitedUntil.getTime() > at.nowMs;
		await recordIdentity(tx, { person, email, accountId: owner.id, isLinked: isInvited, at });
		if (!isInvited) return { refusal: "needs_approval" };
		await tx.update(account).set({ invitedUntil: null }).where(eq(account.id, owner.id));
		await writeAccountAudit(tx, {
			...{ accountId: owner.id, action: "account.link_identity" },
			...{ after: { issuer: person.issuer, subject: person.subject, by: "invitation" }, ...at },
		});
		return refreshAccount(tx, owner, person, at);
	});
}

/** Applies the issuer's name and permissions. A change of permissions ends the sessions created with the old ones. */
async function refreshAccount(tx: Tx, row: AccountRow, person: OidcPerson, at: At): Promise<SignInResult> {
	if (row.service || row.demo) return { refusal: "not_a_person" };
	if (row.disabledAt) return { refusal: "disabled" };
	const before = { role: row.role, customRole: row.customRole, teams: row.teams };
	// Without a mapped group, the permissions of an earlier sign-in end too.
	const changed = person.rights === null || !isDeepStrictEqual(before, { ...person.rights });
	if (changed) {
		await tx
			.update(account)
			.set({ sessionEpoch: sql`${account.sessionEpoch} + 1` })
			.where(eq(account.id, row.id));
	}
	if (person.rights === null) return { refusal: "no_group" };
	const rights = person.rights;
	await tx
		.update(account)
		.set({ name: person.name, ...rights })
		.where(eq(account.id, row.id));
	await tx
		.update(identity)
		.set({ lastSignInAt: new Date(at.nowMs) })
		.where(and(eq(identity.issuer, person.issuer), eq(identity.subject, person.subject)));
	await addTeams(tx, rights);
	if (changed) await writeAccountAudit(tx, { accountId: row.id, action: "account.rights", before, after: rights, ...at });
	return { accountId: row.id };
}

async function createAccount(tx: Tx, person: OidcPerson & { email: string; rights: Rights }, at: At): Promise<SignInResult> {
	const { email, name, rights } = person;
	const id = newId("usr", at.nowMs);
	await tx.insert(account).values({ id, email, name, ...rights, createdAt: new Date(at.nowMs) });
	await recordIdentity(tx, { person, email, accountId: id, isLinked: true, at });
	await addTeams(tx, rights);
	await writeAccountAudit(tx, { accountId: id, action: "account.create", after: { email, ...rights }, ...at });
	return { accountId: id };
}

async function recordIdentity(
	tx: Tx,
	input: { person: OidcPerson; email: string; accountId: string; isLinked: boolean; at: At },
): Promise<void> {
	const { person, email, accountId, isLinked } = input;
	const now = new Date(input.at.nowMs);
	const state = { accountId, email, linkedAt: isLinked ? now : null, lastSignInAt: isLinked ? now : null };
	await tx
		.insert(identity)
		.values({ id: newId("idn", now.getTime()), issuer: person.issuer, subject: person.subject, createdAt: now, ...state })
		.onConflictDoUpdate({ target: [identity.issuer, identity.subject], set: state });
}

async function addTeams(tx: Tx, rights: Rights): Promise<void> {
	if (rights.teams.length === 0) return;
	const rows = rights.teams.map((name) => ({ name }));
	await tx.insert(team).values(rows).onConflictDoNothing();
}
