import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { account } from "#server/db/schema/account.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import { systemContext } from "#server/services/core/context.ts";
import { verifyPassword } from "#server/services/governance/sign-in/password.ts";
import { DEMO_ACCOUNTS_FILE, seedAccounts } from "./accounts.ts";

let database: TestDatabase;
const home = mkdtempSync(path.join(tmpdir(), "demo-accounts-"));
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(async () => {
	rmSync(home, { recursive: true });
	await database.drop();
});

const seed = (password?: string) => seedAccounts(systemContext(database.db, { nowMs: () => 0 }, "seed"), home, password);
const save = (accounts: unknown) => writeFileSync(path.join(home, DEMO_ACCOUNTS_FILE), JSON.stringify(accounts));
async function opens(password: string): Promise<boolean> {
	const [row] = await database.db.select().from(account).where(eq(account.id, "usr_demo_platform"));
	return verifyPassword(password, row?.passwordHash ?? "");
}

it("generates the password once, and keeps it across restarts", async () => {
	const { accounts } = await seed();
	const password = accounts[0]?.password ?? "";
	expect(password).toMatch(/^[\w-]{12}$/);
	expect(await opens(password)).toBe(true);
	save(accounts);
	expect((await seed()).accounts).toEqual(accounts);
});

it("sets a fixed one on request, and replaces the shared one of earlier versions", async () => {
	expect((await seed("a fixed password")).accounts[0]?.password).toBe("a fixed password");
	expect(await opens("a fixed password")).toBe(true);
	save([{ password: "spillway-demo" }]);
	await seed();
	expect(await opens("spillway-demo")).toBe(false);
});
