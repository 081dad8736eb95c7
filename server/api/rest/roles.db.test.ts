import { asc, eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCommand } from "#cli/testing/run-command.ts";
import { RestWorld } from "#server/api/testing/rest-world.ts";
import { account } from "#server/db/schema/account.ts";
import { audit } from "#server/db/schema/audit.ts";
import { issueToken } from "#server/services/governance/token/issue.ts";

let world: RestWorld;
beforeAll(async () => {
	world = await RestWorld.open();
});
afterAll(() => world.close());

const remove = (name: string) => world.call("DELETE", `/api/v1/roles/${name}`);
const change = (name: string, permissions: string[]) => world.call("PATCH", `/api/v1/roles/${name}`, { body: { permissions } });

/** A service account with this role, and its token. */
async function accountWith(role: string, teams: string[] = []): Promise<{ id: string; token: string }> {
	const { status, json } = await world.post("/accounts", { email: `${role}@example.com`, name: role, role, teams, service: true });
	expect(status, JSON.stringify(json)).toBe(201);
	return { id: json.id, token: (await issueToken(world.database.db, { accountId: json.id, name: "ci", nowMs: world.nowMs() })).token };
}

it("a custom role restricts its base, and changes apply", async () => {
	const operator = { name: "operator", base: "platform", permissions: ["job:cancel", "job:read"] };
	expect((await world.post("/roles", operator)).status).toBe(201);
	const { id, token } = await accountWith("operator");
	expect((await world.get("/jobs", { token })).status).toBe(200);
	expect(await world.get("/spend?from=2026-01-01", { token })).toMatchObject({
		...{ status: 403, json: { detail: 'Your role "operator" lacks the permission spend:read.' } },
	});
	expect(await world.post("/jobs", { nonsense: 1 }, { token })).toMatchObject({ status: 403 });
	const { items } = (await world.get("/accounts")).json;
	expect(items.find((a: { id: string }) => a.id === id)).toMatchObject({ role: "platform", customRole: "operator" });
	expect((await change("operator", ["job:read", "spend:read"])).status).toBe(200);
	world.shiftMs += 6_000;
	expect((await world.get("/spend?from=2026-01-01", { token })).status).toBe(200);
	expect((await world.call("POST", "/api/v1/jobs/job_missing/cancel", { token, body: {} })).status).toBe(403);
	expect(await remove("operator")).toMatchObject({ status: 409, json: { detail: "The role operator is in use: 1 account has it." } });
	expect((await world.call("PATCH", `/api/v1/accounts/${id}`, { body: { role: "finance" } })).status).toBe(200);
	expect(await world.database.db.select().from(account).where(eq(account.id, id))).toMatchObject([{ role: "finance", customRole: null }]);
	expect((await remove("operator")).status).toBe(200);
	expect((await remove("operator")).status).toBe(404);
	const written = await world.database.db
		.select({ action: audit.action, before: audit.before, after: audit.after })
		.from(audit)
		.where(eq(audit.subject, "role:operator"))
		.orderBy(asc(audit.id));
	expect(written).toEqual([
		{ action: "role.create", before: null, after: { base: "platform", permissions: ["job:read", "job:cancel"] } },
		{ action: "role.update", before: { permissions: ["job:read", "job:cancel"] }, after: { permissions: ["job:read", "spend:read"] } },
		{ action: "role.delete", before: { base: "platform", permissions: ["job:read", "spend:read"] }, after: null },
	]);
});

it("a custom role never exceeds its base, nor manages people", async () => {
	const refused = (permission: string) =>
		world.post("/roles", { name: "x", base: "data_scientist", permissions: ["job:read", permission] });
	expect(await refused("policy:publish")).toMatchObject({
		...{ status: 400, json: { fields: [{ path: "permissions", message: expect.stringContaining("data_scientist does not have") }] } },
	});
	expect(await world.post("/roles", { name: "x", base: "platform", permissions: ["account:manage"] })).toMatchObject({ status: 400 });
	expect(await refused("jobs:fly")).toMatchObject({ status: 400, json: { fields: [{ path: "permissions.1" }] } });
	expect(await world.post("/roles", { name: "finance", base: "finance", permissions: ["job:read"] })).toMatchObject({ status: 409 });
	expect(await change("platform", ["job:read"])).toMatchObject({ status: 409 });
	expect(await world.post("/accounts", { email: "y@example.com", name: "Y", role: "boss" })).toMatchObject({
		...{ status: 400, json: { fields: [{ path: "role", message: expect.stringContaining('no role "boss"') }] } },
	});
});

it("its base limits it to the teams of its holder", async () => {
	expect((await world.post("/roles", { name: "viewer", base: "data_scientist", permissions: ["job:read"] })).status).toBe(201);
	const { token } = await accountWith("viewer", ["vision"]);
	const id = await world.submit();
	expect((await world.get(`/jobs/${id}`, { token })).status).toBe(404);
	const inVision = await world.submit({ team: "vision" });
	expect((await world.get(`/jobs/${inVision}`, { token })).status).toBe(200);
});

it("the last administrator cannot take a custom role", async () => {
	expect((await world.post("/roles", { name: "deputy", base: "platform", permissions: ["job:read"] })).status).toBe(201);
	expect(await world.call("PATCH", "/api/v1/accounts/usr_platform", { body: { role: "deputy" } })).toMatchObject({
		...{ status: 409, json: { detail: "This is the last administrator who can sign in." } },
	});
});

it("groups give custom roles, which stay while a group names them", async () => {
	expect((await world.post("/roles", { name: "auditor", base: "finance", permissions: ["audit:read"] })).status).toBe(201);
	const mapped = await world.call("PUT", "/api/v1/group-mappings", { body: { group: "revision", role: "auditor" } });
	expect(mapped).toMatchObject({ status: 200, json: { role: "finance", customRole: "auditor" } });
	const check = (groups: string[]) => world.post("/group-mappings/check", { groups });
	expect((await check(["revision"])).json).toMatchObject({ role: "finance", customRole: "auditor" });
	expect((await check(["revision", "spillway-finance"])).json).toMatchObject({ role: "finance", customRole: null });
	expect(await remove("auditor")).toMatchObject({ status: 409, json: { detail: expect.stringContaining('"revision" is mapped to it') } });
});

it("the command line lists, creates, changes and deletes roles", async () => {
	const spillway = (...args: string[]) => runCommand(args, { env: { SPILLWAY_TOKEN: world.tokens.platform, SPILLWAY_URL: world.url } });
	const made = await spillway("roles", "create", "buyer", "--base", "finance", "--allow", "rates:read", "--allow", "rates:change");
	expect(made).toMatchObject({ code: 0, out: "Role buyer created\n" });
	expect((await spillway("roles", "change", "buyer", "--allow", "rates:read")).out).toBe("Role buyer changed\n");
	expect((await spillway("roles", "ls")).out).toMatch(/buyer +finance +0 +rates:read\n/);
	expect((await spillway("roles", "create", "buyer", "--base", "finance")).err).toContain("Give --allow PERMISSION");
	expect((await spillway("roles", "rm", "buyer")).out).toBe("Role buyer deleted\n");
});
