import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { account, rateWindow } from "#server/db/schema/account.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import * as password from "../services/governance/sign-in/password.ts";
import { SIGN_IN_LIMITS, signInWithPassword } from "./sign-in-password.ts";

const NOW_MS = Date.UTC(2026, 10, 10, 10);
let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	const passwordHash = await password.hashPassword("right");
	const row = { name: "x", role: "platform" as const, createdAt: new Date(NOW_MS), passwordHash };
	await database.db.insert(account).values([
		{ ...row, id: "admin", email: "admin@example.test" },
		{ ...row, id: "demo", email: "demo@example.test", demo: true },
		{ ...row, id: "ci", email: "ci@example.test", service: true },
		{ ...row, id: "off", email: "off@example.test", disabledAt: new Date(NOW_MS) },
	]);
});
beforeEach(() => database.db.delete(rateWindow));
afterAll(() => database.drop());

const tryOnce = (email: string, given: string, changes: { nowMs?: number; source?: string; demo?: boolean } = {}) =>
	signInWithPassword(database.db, { email, password: given }, { nowMs: NOW_MS, source: "192.0.2.1", demo: false, ...changes });

it("admits the first administrator, but no service or disabled account and, outside the demo, no demo account", async () => {
	expect(await tryOnce("ADMIN@example.test", "right")).toMatchObject({ ok: true, account: { id: "admin" } });
	expect(await tryOnce("demo@example.test", "right", { demo: true })).toMatchObject({ ok: true });
	for (const email of ["demo@example.test", "ci@example.test", "off@example.test", "nobody@example.test"])
		expect(await tryOnce(email, "right")).toMatchObject({ ok: false, why: "wrong" });
});

it("computes one hash for unknown accounts as for known ones", async () => {
	await tryOnce("warm-up@example.test", "x");
	const spy = vi.spyOn(password, "verifyPassword");
	for (const email of ["admin@example.test", "nobody@example.test", "ci@example.test"]) await tryOnce(email, "wrong");
	expect(spy).toHaveBeenCalledTimes(3);
	expect(new Set(spy.mock.calls.map(([, hash]) => hash.length)).size).toBe(1);
	spy.mockRestore();
});

it("rejects an account after its limit from one address, even with the right password, until the window ends", async () => {
	for (let i = 0; i < SIGN_IN_LIMITS.accountFromAddress; i++)
		expect(await tryOnce("admin@example.test", "wrong")).toMatchObject({ why: "wrong" });
	expect(await tryOnce("admin@example.test", "right")).toMatchObject({ ok: false, why: "limited" });
	expect(await tryOnce("admin@example.test", "right", { source: "192.0.2.2" })).toMatchObject({ ok: true });
	expect(await tryOnce("admin@example.test", "right", { nowMs: NOW_MS + 15 * MINUTE_MS })).toMatchObject({ ok: true });
});

it("limits an address over all accounts, even for concurrent attempts", async () => {
	const tries = await Promise.all(
		Array.from({ length: SIGN_IN_LIMITS.accountFromAddress + 5 }, () => tryOnce("admin@example.test", "right", { source: "192.0.2.9" })),
	);
	expect(tries.filter((t) => t.ok)).toHaveLength(SIGN_IN_LIMITS.accountFromAddress);
	const row = { key: "sign-in:address:192.0.2.8", count: SIGN_IN_LIMITS.address, startsAt: new Date(NOW_MS) };
	await database.db.insert(rateWindow).values(row);
	expect(await tryOnce("admin@example.test", "right", { source: "192.0.2.8" })).toMatchObject({ ok: false, why: "limited" });
});
