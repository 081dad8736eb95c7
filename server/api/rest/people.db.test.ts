import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Ran, runCommand } from "#cli/testing/run-command.ts";
import { aJob, RestWorld } from "#server/api/testing/rest-world.ts";
import { account, identity } from "#server/db/schema/account.ts";
import { audit } from "#server/db/schema/audit.ts";

let world: RestWorld;
beforeAll(async () => {
	world = await RestWorld.open();
});
afterAll(() => world.close());

function spillway(...args: string[]): Promise<Ran> {
	return runCommand(args, {
		env: { SPILLWAY_TOKEN: world.tokens.platform, SPILLWAY_URL: world.url },
	});
}

const patch = (url: string, body: unknown) => world.call("PATCH", `/api/v1${url}`, { body });
const audited = (action: string, subject: string) =>
	world.database.db
		.select({ before: audit.before, after: audit.after, actor: audit.actor })
		.from(audit)
		.where(and(eq(audit.action, action), eq(audit.subject, subject)));

async function signsIn(accountId: string): Promise<void> {
	const at = new Date(world.nowMs());
	await world.database.db.insert(identity).values({
		...{ issuer: "https://id.test", subject: accountId, id: `idn_${accountId}`, accountId, email: `${accountId}@example.test` },
		...{ createdAt: at, linkedAt: at },
	});
}

it("teams are created, nested, renamed and deleted", async () => {
	expect((await world.post("/teams", { name: "ai", title: "AI", costCenter: "4711" })).status).toBe(201);
	expect((await world.post("/teams", { name: "nlp", parent: "ai" })).status).toBe(201);
	expect(await world.post("/teams", { name: "nlp" })).toMatchObject({ status: 409, json: { fields: [{ path: "name" }] } });
	expect(await world.post("/teams", { name: "x", parent: "unknown" })).toMatchObject({
		status: 400,
		json: { fields: [{ path: "parent" }] },
	});
	expect((await patch("/teams/nlp", { title: "Language" })).status).toBe(200);
	const { items } = (await world.get("/teams")).json;
	expect(items).toContainEqual({ name: "ai", title: "AI", costCenter: "4711", parent: null, members: 0 });
	expect(items).toContainEqual({ name: "nlp", title: "Language", costCenter: null, parent: "ai", members: 0 });
	expect(await audited("team.update", "team:nlp")).toMatchObject([{ before: { title: null }, after: { title: "Language" } }]);
	expect(await patch("/teams/ai", { parent: "nlp" })).toMatchObject({
		status: 400,
		json: { detail: expect.stringContaining("part of it") },
	});
	expect(await world.call("DELETE", "/api/v1/teams/ai")).toMatchObject({
		status: 409,
		json: { detail: expect.stringContaining("1 sub-team") },
	});
	const aTemplate = aJob({ name: "kept", team: "nlp" });
	const { json: template } = await world.post("/templates", { document: aTemplate });
	expect(await world.call("DELETE", "/api/v1/teams/nlp")).toMatchObject({ status: 409, json: { detail: "Team nlp has templates." } });
	expect((await world.call("DELETE", `/api/v1/templates/${template.id}`)).status).toBe(200);
	expect((await world.call("PUT", "/api/v1/storage-limits", { body: { team: "nlp", quotaGiB: 1, keepDays: null } })).status).toBe(200);
	expect((await world.call("DELETE", "/api/v1/teams/nlp")).status).toBe(200);
	expect((await world.get("/stores")).text).not.toContain("nlp");
	expect((await world.call("DELETE", "/api/v1/teams/ai")).status).toBe(200);
	expect((await world.call("DELETE", "/api/v1/teams/ai")).status).toBe(404);
});

it("keeps a team with members or jobs", async () => {
	expect(await world.call("DELETE", "/api/v1/teams/vision")).toMatchObject({
		status: 409,
		json: { detail: expect.stringContaining("2 members") },
	});
	await world.post("/teams", { name: "busy" });
	expect((await world.post("/jobs", aJob({ team: "busy" }))).status).toBe(201);
	expect(await world.call("DELETE", "/api/v1/teams/busy")).toMatchObject({ status: 409, json: { detail: "Team busy has jobs." } });
});

it("lets people read their own teams", async () => {
	const names = async (as: "scientist" | "finance") => (await world.get("/teams", { as })).json.items.map((t: { name: string }) => t.name);
	expect(await names("scientist")).toEqual(["research"]);
	expect(await names("finance")).toEqual(expect.arrayContaining(["research", "vision"]));
});

it("ends sessions when role or teams are reduced", async () => {
	const epoch = async () =>
		(await world.database.db.select({ epoch: account.sessionEpoch }).from(account).where(eq(account.id, "usr_stranger")))[0]?.epoch ?? -1;
	const before = await epoch();
	expect(await patch("/accounts/usr_stranger", { teams: ["vision", "ghosts"] })).toMatchObject({
		status: 400,
		json: { fields: [{ path: "teams" }] },
	});
	expect((await patch("/accounts/usr_stranger", { teams: ["research", "vision"] })).status).toBe(200);
	expect(await epoch()).toBe(before);
	expect((await patch("/accounts/usr_stranger", { role: "finance", teams: ["vision"] })).status).toBe(200);
	expect(await epoch()).toBe(before + 1);
	world.shiftMs += 6_000;
	expect((await world.post("/jobs", aJob({ team: "vision" }), { as: "stranger" })).status).toBe(403);
	expect(await audited("account.update", "account:usr_stranger")).toContainEqual({
		...{ before: { role: "data_scientist", teams: ["research", "vision"] }, after: { role: "finance", teams: ["vision"] } },
		actor: "account:usr_platform",
	});
	expect((await patch("/accounts/usr_stranger", { name: "a\u0000b" })).status).toBe(400);
	expect((await patch("/accounts/usr_unknown", { role: "finance" })).status).toBe(404);
	expect((await patch("/accounts/usr_stranger", { email: "x@example.test" })).status).toBe(400);
});

it("keeps the last administrator who can sign in", async () => {
	const demote = (id: string) => patch(`/accounts/${id}`, { role: "finance" });
	const last = { status: 409, json: { detail: "This is the last administrator who can sign in." } };
	expect(await demote("usr_platform")).toMatchObject(last);
	const second = (await world.post("/accounts", { email: "second@example.test", name: "Second", role: "platform" })).json.id;
	// An invited person who never signed in could not manage the installation.
	expect(await demote("usr_platform")).toMatchObject(last);
	await world.database.db.update(account).set({ passwordHash: "scrypt$x$y" }).where(eq(account.id, "usr_platform"));
	expect((await world.post(`/accounts/${second}/disable`, undefined)).status).toBe(200);
	expect((await world.post(`/accounts/${second}/enable`, undefined)).status).toBe(200);
	await signsIn(second);
	const robot = { email: "robot@example.test", name: "Robot", role: "platform", service: true };
	const { id } = (await world.post("/accounts", robot)).json;
	const { token } = (await world.post("/tokens", { name: "r", scopes: ["accounts"], expiresInDays: 1, accountId: id })).json;
	const both = await Promise.all(["usr_platform", second].map((of) => world.call("POST", `/api/v1/accounts/${of}/disable`, { token })));
	expect(both.map((answer) => answer.status).sort()).toEqual([200, 409]);
	await world.database.db.update(account).set({ disabledAt: null });
	world.shiftMs += 6_000;
});

it("rejects changes to role and teams of a person from the identity provider", async () => {
	const { id } = (await world.post("/accounts", { email: "linked@example.test", name: "Linked", role: "finance" })).json;
	await signsIn(id);
	expect(await patch(`/accounts/${id}`, { role: "platform" })).toMatchObject({
		status: 409,
		json: { fix: expect.stringContaining("groups there") },
	});
	expect((await patch(`/accounts/${id}`, { name: "Linked Person" })).status).toBe(200);
});

it("manages teams, people and tokens from the command line", async () => {
	expect(await spillway("teams", "add", "bio", "--title", "Biology", "--cost-center", "12")).toMatchObject({
		code: 0,
		out: "bio added\n",
	});
	expect((await spillway("teams", "ls")).out).toMatch(/^bio +Biology +12 +– +0$/m);
	const added = await spillway("people", "add", "eve@example.test", "--name", "Eve", "--role", "data_scientist", "--team", "bio");
	expect(added).toMatchObject({ code: 0, out: expect.stringMatching(/^eve@example.test added and invited for 7 days: usr_/) });
	expect((await spillway("people", "change", "EVE@example.test", "--role", "finance", "--no-teams")).code).toBe(0);
	expect((await spillway("people", "ls")).out).toMatch(/^eve@example\.test +Eve +finance +– +invited/m);
	expect((await spillway("people", "deactivate", "eve@example.test")).code).toBe(0);
	expect((await spillway("people", "ls")).out).toMatch(/^eve@example\.test .*deactivated/m);
	expect((await spillway("people", "deactivate", "unknown@example.test")).code).toBe(3);
	const token = await spillway("tokens", "add", "laptop", "--scope", "read", "--days", "3");
	expect(token).toMatchObject({ code: 0, out: expect.stringMatching(/^spw_\S+\n$/) });
	const id = /tok_\w+/.exec(token.err)?.[0] ?? "";
	expect((await spillway("tokens", "ls")).out).toContain(id);
	expect((await spillway("tokens", "rm", id)).code).toBe(0);
	expect((await spillway("tokens", "ls")).out).not.toContain(id);
	expect((await spillway("teams", "rm", "bio")).code).toBe(0);
});

it("shows and changes the caller's notifications from the command line", async () => {
	expect((await spillway("notify")).out).toBe("Email is off\n");
	const set = await spillway("notify", "failed", "finished", "--every", "15");
	expect(set).toMatchObject({
		code: 0,
		out: expect.stringMatching(/^finished, failed: to \S+@\S+, at most one email every 15 minutes\n$/),
	});
	expect((await spillway("notify", "ended")).out).toBe("");
	expect((await spillway("notify", "off")).out).toBe("Email is off\n");
});
