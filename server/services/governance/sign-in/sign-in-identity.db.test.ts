import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { account, identity } from "#server/db/schema/account.ts";
import { audit } from "#server/db/schema/audit.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import type { OidcPerson } from "#server/domain/oidc-person.ts";
import { actorOfSession, endSessions, readSessionEpoch } from "./session-epoch.ts";
import { signInIdentity } from "./sign-in-identity.ts";

const NOW_MS = Date.UTC(2026, 10, 10, 10);
const AT = { nowMs: NOW_MS, source: "203.0.113.7" };

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

function person(subject: string, changes: Partial<OidcPerson> = {}): OidcPerson {
	return {
		issuer: "https://id.example.test",
		subject,
		email: `${subject}@example.test`,
		emailVerified: true,
		name: subject,
		rights: { role: "data_scientist", customRole: null, teams: ["research"] },
		...changes,
	};
}

async function addAccount(id: string, changes: Partial<typeof account.$inferInsert> = {}) {
	const row = { id, email: `${id}@example.test`, name: id, role: "platform" as const, createdAt: new Date(NOW_MS), ...changes };
	await database.db.insert(account).values(row);
}

const accountRow = async (id: string) => (await database.db.select().from(account).where(eq(account.id, id)))[0];
const signIn = (who: OidcPerson) => signInIdentity(database.db, who, AT);

it("an account belongs to issuer and subject: the same person keeps it with a new address, and a new subject with its address does not get it", async () => {
	const first = await signIn(person("ann"));
	expect(await signIn(person("ann", { email: "ann.new@example.test" }))).toEqual(first);
	expect(await signIn(person("other-subject", { email: "ann@example.test" }))).toEqual({ refusal: "needs_approval" });
	expect(await signIn(person("ann", { issuer: "https://evil.example.test" }))).toEqual({ refusal: "needs_approval" });
	expect(await accountRow(first.accountId ?? "")).toMatchObject({ name: "ann", role: "data_scientist", email: "ann@example.test" });
});

it("never links or changes a service, demo or disabled account", async () => {
	await addAccount("ci", { service: true });
	await addAccount("demo", { demo: true });
	await addAccount("left", { disabledAt: new Date(NOW_MS), invitedUntil: new Date(NOW_MS + 1_000) });
	const before = await Promise.all(["ci", "demo", "left"].map(accountRow));
	expect(await signIn(person("ci"))).toEqual({ refusal: "not_a_person" });
	expect(await signIn(person("demo", { email: "DEMO@example.test" }))).toEqual({ refusal: "not_a_person" });
	expect(await signIn(person("left"))).toEqual({ refusal: "disabled" });
	expect(await Promise.all(["ci", "demo", "left"].map(accountRow))).toEqual(before);
	expect(await database.db.select().from(identity).where(eq(identity.accountId, "ci"))).toEqual([]);
});

it("links an existing person with an invitation and a verified address, once", async () => {
	await addAccount("bea", { invitedUntil: new Date(NOW_MS + 1_000) });
	expect(await signIn(person("bea", { emailVerified: false }))).toEqual({ refusal: "email_unverified" });
	expect(await signIn(person("bea"))).toEqual({ accountId: "bea" });
	expect(await accountRow("bea")).toMatchObject({ role: "data_scientist", teams: ["research"], invitedUntil: null });
	expect(await signIn(person("bea2", { email: "bea@example.test" }))).toEqual({ refusal: "needs_approval" });
	const lines = await database.db.select().from(audit).where(eq(audit.subject, "account:bea"));
	expect(lines.map((l) => l.action)).toEqual(["account.link_identity", "account.rights"]);
});

it("an expired invitation requires approval and records one request, however often it is tried", async () => {
	await addAccount("cyd", { invitedUntil: new Date(NOW_MS) });
	for (let i = 0; i < 3; i++) expect(await signIn(person("cyd"))).toEqual({ refusal: "needs_approval" });
	const rows = await database.db.select().from(identity).where(eq(identity.accountId, "cyd"));
	expect(rows).toMatchObject([{ subject: "cyd", linkedAt: null }]);
	await database.db
		.update(identity)
		.set({ linkedAt: new Date(NOW_MS) })
		.where(eq(identity.accountId, "cyd"));
	expect(await signIn(person("cyd"))).toEqual({ accountId: "cyd" });
});

it("without a mapped group no account is created, and an old account's sessions end", async () => {
	expect(await signIn(person("dan", { rights: null }))).toEqual({ refusal: "no_group" });
	expect(await signIn(person("dan", { email: null }))).toEqual({ refusal: "no_email" });
	expect(await database.db.select().from(account).where(eq(account.email, "dan@example.test"))).toEqual([]);
	const { accountId = "" } = await signIn(person("dan"));
	const epoch = (await readSessionEpoch(database.db, accountId)) ?? -1;
	expect(await actorOfSession(database.db, { accountId, epoch }, false)).toMatchObject({ accountId, teams: ["research"] });
	expect(await signIn(person("dan", { rights: null }))).toEqual({ refusal: "no_group" });
	expect(await actorOfSession(database.db, { accountId, epoch }, false)).toBeNull();
});

it("two concurrent first sign-ins of one person create one account", async () => {
	const both = await Promise.all([signIn(person("eve")), signIn(person("eve"))]);
	expect(both[0].accountId).toBeDefined();
	expect(both[0]).toEqual(both[1]);
});

it("sessions end on sign-out, change of rights and disabling", async () => {
	const { accountId = "" } = await signIn(person("fay"));
	const session = async () => ({ accountId, epoch: (await readSessionEpoch(database.db, accountId)) ?? -1 });
	const actor = (s: { accountId: string; epoch: number }) => actorOfSession(database.db, s, false);
	const first = await session();
	await signIn(person("fay"));
	expect(await actor(first)).not.toBeNull();
	await signIn(person("fay", { rights: { role: "finance", customRole: null, teams: [] } }));
	expect(await actor(first)).toBeNull();
	const second = await session();
	await endSessions(database.db, accountId);
	expect(await actor(second)).toBeNull();
	const third = await session();
	expect(await actor(third)).toMatchObject({ role: "finance" });
	await database.db
		.update(account)
		.set({ disabledAt: new Date(NOW_MS) })
		.where(eq(account.id, accountId));
	expect(await actor(third)).toBeNull();
	expect(await readSessionEpoch(database.db, accountId)).toBeNull();
});
