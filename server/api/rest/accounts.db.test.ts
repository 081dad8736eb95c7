import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { aJob, RestWorld } from "#server/api/testing/rest-world.ts";
import { account, apiToken } from "#server/db/schema/account.ts";
import { DAY_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { signInIdentity } from "#server/services/governance/sign-in/sign-in-identity.ts";

let world: RestWorld;
beforeAll(async () => {
	world = await RestWorld.open();
});
afterAll(() => world.close());

const create = async (body: Record<string, unknown>, as: "scientist" | "platform" = "scientist") =>
	world.post("/tokens", { name: "ci", scopes: ["read"], expiresInDays: 30, ...body }, { as });

it("a person creates tokens for themselves, limited to scopes", async () => {
	const { status, json } = await create({});
	expect([status, json.token]).toEqual([201, expect.stringMatching(/^spw_/)]);
	expect((await world.get("/jobs", { token: json.token })).status).toBe(200);
	const refused = await world.post("/jobs", aJob(), { token: json.token });
	expect(refused).toMatchObject({ status: 403, json: { detail: expect.stringContaining('lacks the scope "jobs"') } });
	expect((await world.post("/tokens", { name: "more", scopes: ["jobs"], expiresInDays: 1 }, { token: json.token })).status).toBe(403);
	const jobs = (await create({ scopes: ["jobs", "read"] })).json.token;
	expect((await world.post("/jobs", aJob(), { token: jobs })).status).toBe(201);
	expect((await world.get("/accounts", { token: (await create({ scopes: ["accounts"] })).json.token })).status).toBe(403);
});

it("tokens show owner, scopes, expiry and last use, to the owner and administrators", async () => {
	const { id, token } = (await create({ name: "listed" })).json;
	await world.get("/jobs", { token });
	const find = (items: { id: string }[]) => items.find((t) => t.id === id);
	for (const as of ["scientist", "platform"] as const)
		expect(find((await world.get("/tokens", { as })).json.items)).toMatchObject({
			...{ name: "listed", owner: { id: "usr_scientist", service: false }, scopes: ["read"] },
			...{ lastUsedAt: expect.any(String), expiresAt: expect.any(String) },
		});
	expect(find((await world.get("/tokens", { as: "stranger" })).json.items)).toBeUndefined();
	expect((await world.call("DELETE", `/api/v1/tokens/${id}`, { as: "stranger" })).status).toBe(404);
	expect((await world.call("DELETE", `/api/v1/tokens/${id}`, { as: "scientist" })).status).toBe(200);
	world.shiftMs += 6_000;
	expect((await world.get("/jobs", { token })).status).toBe(401);
});

it("tokens stop working when they expire or their account is disabled", async () => {
	const { token } = (await create({ expiresInDays: 1 })).json;
	expect((await world.get("/jobs", { token })).status).toBe(200);
	world.shiftMs += DAY_MS + MINUTE_MS;
	expect((await world.get("/jobs", { token })).status).toBe(401);
	for (const bad of [{ expiresInDays: 0 }, { expiresInDays: 366 }, { scopes: [] }, { scopes: ["all"] }, { name: "" }])
		expect((await create(bad)).status).toBe(400);
});

it("an administrator creates tokens for service accounts, but not for other people", async () => {
	const { db } = world.database;
	const bot = { email: "ci@example.test", name: "CI", role: "data_scientist", teams: ["research"], service: true };
	const { id } = (await world.post("/accounts", bot, { as: "platform" })).json;
	expect((await create({ accountId: id })).status).toBe(403);
	const { token } = (await create({ accountId: id, scopes: ["jobs"] }, "platform")).json;
	expect((await world.post("/jobs", aJob(), { token })).status).toBe(201);
	expect((await create({ accountId: "usr_scientist" }, "platform")).status).toBe(403);
	expect((await world.post("/accounts", bot, { as: "platform" })).status).toBe(409);
	await world.post(`/accounts/${id}/disable`, undefined, { as: "platform" });
	world.shiftMs += 6_000;
	expect((await world.post("/jobs", aJob(), { token })).status).toBe(401);
	expect((await world.post(`/accounts/${id}/invite`, undefined, { as: "platform" })).status).toBe(409);
	expect((await world.post("/accounts/usr_platform/disable", undefined, { as: "platform" })).status).toBe(409);
	expect(await db.$count(apiToken, eq(apiToken.accountId, id))).toBe(1);
});

it("an administrator approves or rejects a pending sign-in", async () => {
	const { db } = world.database;
	const rights = { role: "finance" as const, customRole: null, teams: [] };
	const who = { issuer: "https://id.test", subject: "s1", email: "scientist@example.test", emailVerified: true, name: "S", rights };
	const at = { nowMs: world.nowMs(), source: null };
	expect(await signInIdentity(db, who, at)).toEqual({ refusal: "needs_approval" });
	const waiting = async () =>
		(await world.get("/accounts", { as: "platform" })).json.items.find((a: { id: string }) => a.id === "usr_scientist").identities;
	const [first] = await waiting();
	expect(first).toMatchObject({ subject: "s1", linkedAt: null });
	expect((await world.post(`/identities/${first.id}/reject`, undefined, { as: "platform" })).status).toBe(200);
	expect(await waiting()).toEqual([]);
	await signInIdentity(db, who, at);
	const [second] = await waiting();
	expect((await world.post(`/identities/${second.id}/link`, undefined, { as: "scientist" })).status).toBe(403);
	expect((await world.post(`/identities/${second.id}/link`, undefined, { as: "platform" })).status).toBe(200);
	expect(await signInIdentity(db, who, at)).toEqual({ accountId: "usr_scientist" });
	const [row] = await db.select().from(account).where(eq(account.id, "usr_scientist"));
	expect(row?.role).toBe("finance");
});
