import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, apiToken } from "#server/db/schema/account.ts";
import { issueToken } from "#server/services/governance/token/issue.ts";
import { aJob, type Person, RestWorld } from "../testing/rest-world.ts";
import { ROUTES } from "./routes.ts";

let world: RestWorld;
let jobId: string;
beforeAll(async () => {
	world = await RestWorld.open();
	jobId = await world.submit({ name: "of-research" });
});
afterAll(() => world.close());

/** Longer than token lookups are cached. */
const FORGOTTEN_MS = 6_000;

describe("rejected callers", () => {
	it("no token, an unknown one and a malformed header get 401 on every route, without details", async () => {
		for (const { method, path } of ROUTES) {
			const at = `/api/v1${path.replace("{id}", jobId).replace("{name}", "default")}`;
			const body = method === "GET" ? {} : { body: aJob() };
			for (const options of [{ as: null }, { token: "spw_unknown" }, { as: null, headers: { authorization: "Basic eDp5" } }]) {
				const answer = await world.call(method, at, { ...options, ...body });
				expect(answer.status).toBe(401);
				expect(answer.headers.get("www-authenticate")).toBe("Bearer");
				expect(answer.json).toMatchObject({ code: "unauthenticated", status: 401, fix: expect.stringContaining("Authorization: Bearer") });
				expect(answer.text).not.toContain("spw_unknown");
			}
		}
		expect(await world.written()).toMatchObject({ jobs: 1 });
	});

	it("a revoked token and a disabled account are rejected once the cache expires", async () => {
		const { db } = world.database;
		const { token: revoked } = await issueToken(db, { accountId: "usr_platform", name: "revoked", nowMs: Date.now() });
		await db
			.insert(account)
			.values({ id: "usr_gone", email: "gone@example.test", name: "gone", role: "platform", teams: [], createdAt: new Date() });
		const { token: disabled } = await issueToken(db, { accountId: "usr_gone", name: "gone", nowMs: Date.now() });
		for (const token of [revoked, disabled]) expect((await world.get("/jobs", { token })).status).toBe(200);
		await db.update(apiToken).set({ revokedAt: new Date() }).where(eq(apiToken.name, "revoked"));
		await db.update(account).set({ disabledAt: new Date() }).where(eq(account.id, "usr_gone"));
		world.shiftMs += FORGOTTEN_MS;
		for (const token of [revoked, disabled]) expect((await world.get("/jobs", { token })).status).toBe(401);
	});

	it("keeps tokens only as hashes", async () => {
		const rows = await world.database.db.select().from(apiToken);
		for (const token of Object.values(world.tokens)) expect(JSON.stringify(rows)).not.toContain(token);
	});
});

describe("permissions of each role", () => {
	it("a data scientist of another team finds no job, log, decision or receipt, and cannot cancel", async () => {
		for (const path of ["", "/logs", "/logs?follow=1", "/decisions", "/receipt"]) {
			expect(await world.get(`/jobs/${jobId}${path}`, { as: "stranger" })).toMatchObject({ status: 404, json: { code: "not_found" } });
			expect((await world.get(`/jobs/${jobId}${path.replace("?follow=1", "")}`, { as: "scientist" })).status).toBe(200);
		}
		const before = await world.written();
		expect([403, 404]).toContain((await world.post(`/jobs/${jobId}/cancel`, undefined, { as: "stranger" })).status);
		expect((await world.get("/jobs", { as: "stranger" })).json.items).toEqual([]);
		expect((await world.get("/jobs", { as: "scientist" })).json.items).toHaveLength(1);
		expect(await world.written()).toEqual(before);
	});

	it("a data scientist submits and quotes for their own team only", async () => {
		const before = await world.written();
		for (const path of ["/jobs", "/quotes"]) {
			const answer = await world.post(path, aJob(), { as: "stranger" });
			expect(answer).toMatchObject({ status: 403, json: { code: "forbidden", fix: "Your teams: vision." } });
			expect(answer.json.detail).toContain('"research"');
		}
		const mixed = { items: [aJob({ team: "vision" }), aJob()] };
		expect((await world.post("/jobs", mixed, { as: "stranger" })).status).toBe(403);
		expect(await world.written()).toEqual(before);
		expect((await world.post("/jobs", aJob({ team: "vision" }), { as: "stranger" })).status).toBe(201);
	});

	it("finance reads everything and changes nothing", async () => {
		const before = await world.written();
		for (const [path, body] of [
			["/jobs", aJob()],
			["/quotes", aJob()],
			[`/jobs/${jobId}/cancel`, undefined],
		] as const)
			expect(await world.post(path, body, { as: "finance" })).toMatchObject({ status: 403, json: { code: "forbidden" } });
		for (const path of [`/jobs/${jobId}`, `/jobs/${jobId}/receipt`, "/spend", "/budgets", "/instances", "/sites", "/policies/default"])
			expect((await world.get(path, { as: "finance" })).status).toBe(200);
		expect(await world.written()).toEqual(before);
	});

	it("everyone reads budgets, the policy, sites and offers", async () => {
		for (const as of ["platform", "scientist", "stranger", "finance"] satisfies Person[])
			for (const path of ["/budgets", "/policies/default", "/sites", "/offers", "/spend", "/instances"])
				expect((await world.get(path, { as })).status).toBe(200);
	});

	it("one person's idempotency key has no effect for another", async () => {
		const headers = { "idempotency-key": "the-same" };
		const mine = await world.post("/jobs", aJob(), { as: "scientist", headers });
		const other = await world.post("/jobs", aJob(), { as: "platform", headers });
		expect([mine.status, other.status]).toEqual([201, 201]);
		expect(mine.json.id).not.toBe(other.json.id);
	});
});
