import { asc } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { audit } from "#server/db/schema/audit.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { auditSignIn, auditSignOut, REFUSED_LINES_A_MINUTE, RefusedSignIns } from "./sign-in-audit.ts";

const NOW_MS = Date.UTC(2026, 10, 10, 10);
const BY = { nowMs: NOW_MS, source: "203.0.113.7" };

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

const lines = () => database.db.select().from(audit).orderBy(asc(audit.id));

it("audits sign-in and sign-out with the address, but not a session without an owner", async () => {
	await auditSignIn(database.db, "usr_pia", { ...BY, with: "oidc" });
	await auditSignOut(database.db, "usr_pia", BY);
	await auditSignOut(database.db, "", BY);
	const pia = { actor: "account:usr_pia", subject: "account:usr_pia", via: "session", source: "203.0.113.7", at: new Date(NOW_MS) };
	expect(await lines()).toMatchObject([
		{ ...pia, action: "account.sign_in", after: { with: "oidc" } },
		{ ...pia, action: "account.sign_out", after: null },
	]);
});

it("audits rejected sign-ins with what was tried, up to a limit per minute, and counts the rest", async () => {
	const refused = new RefusedSignIns();
	const before = (await lines()).length;
	const tried = (email: string, accountId: string | null = null) => ({ accountId, email, with: "credentials" });
	await refused.audit(database.db, tried("pia@acme.test", "usr_pia"), BY);
	await refused.audit(database.db, tried("my secret password"), BY);
	for (let i = 0; i < 100; i++) await refused.audit(database.db, tried(`guess${i}@acme.test`), BY);
	await refused.audit(database.db, tried("late@acme.test"), { ...BY, nowMs: NOW_MS + MINUTE_MS });
	const added = (await lines()).slice(before);
	const sharedFields = { actor: "system:sign_in", action: "account.sign_in_refused", via: null, source: "203.0.113.7" };
	expect(added).toHaveLength(REFUSED_LINES_A_MINUTE + 1);
	expect(added[0]).toMatchObject({
		...sharedFields,
		subject: "account:usr_pia",
		after: { with: "credentials", email: "pia@acme.test", more: 0 },
	});
	expect(added[1]).toMatchObject({ ...sharedFields, subject: "sign_in", after: { email: null } });
	expect(added.at(-1)).toMatchObject({ after: { email: "late@acme.test", more: 102 - REFUSED_LINES_A_MINUTE } });
});
