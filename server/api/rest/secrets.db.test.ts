import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { aJob, RestWorld } from "#server/api/testing/rest-world.ts";

const VALUE = "hf_0123456789abcdef";

let world: RestWorld;
beforeAll(async () => {
	vi.stubEnv("SPILLWAY_CREDENTIAL_KEYS", Buffer.alloc(32, 1).toString("base64url"));
	world = await RestWorld.open();
});
afterAll(() => world.close());

const put = (path: string, body: unknown, as: "scientist" | "platform" | "finance" | "stranger" = "scientist") =>
	world.call("PUT", `/api/v1${path}`, { as, body });

it("sets, lists, replaces and deletes a secret of a team, and never returns its value", async () => {
	expect((await put("/teams/research/secrets/hf-token", { value: VALUE })).json).toEqual({
		team: "research",
		name: "hf-token",
		version: 1,
	});
	expect((await put("/teams/research/secrets/hf-token", { vault: { path: "hf", key: "token" } })).json.version).toBe(2);
	const { text, json } = await world.get("/secrets", { as: "scientist" });
	expect(json.items).toMatchObject([
		{ team: "research", name: "hf-token", version: 2, source: { kind: "vault", path: "hf", key: "token" } },
	]);
	const audit = await world.get("/audit", { as: "platform" });
	expect(audit.text).toContain("secret.replace");
	expect(`${text}${audit.text}`).not.toContain(VALUE);
	expect((await world.call("DELETE", "/api/v1/teams/research/secrets/hf-token", { as: "scientist" })).status).toBe(200);
	expect((await world.call("DELETE", "/api/v1/teams/research/secrets/hf-token", { as: "scientist" })).status).toBe(404);
});

it("belongs to the team: other teams and finance can neither read nor set it", async () => {
	await put("/teams/vision/secrets/key", { value: VALUE }, "platform");
	expect((await put("/teams/vision/secrets/key", { value: VALUE })).status).toBe(404);
	expect((await put("/teams/vision/secrets/key", { value: VALUE }, "finance")).status).toBe(403);
	expect((await world.get("/secrets", { as: "finance" })).status).toBe(403);
	expect((await world.get("/secrets", { as: "scientist" })).json.items).toEqual([]);
	expect((await put("/teams/nowhere/secrets/key", { value: VALUE }, "platform")).status).toBe(404);
});

it.each([
	{},
	{ value: "short" },
	{ value: VALUE, file: "a" },
	{ file: "../other/key" },
	{ file: "/etc/shadow" },
	{ vault: { path: "a/../../b", key: "k" } },
])("rejects %j", async (body) => {
	expect((await put("/teams/research/secrets/key", body)).status).toBe(400);
});

it("rejects a job with a secret that its team does not have", async () => {
	await put("/teams/research/secrets/mine", { value: VALUE });
	const job = aJob() as { spec: Record<string, unknown> };
	const submit = (name: string) =>
		world.post("/jobs", { ...job, spec: { ...job.spec, secrets: [{ name, env: "TOKEN" }] } }, { as: "scientist" });
	expect((await submit("mine")).status).toBe(201);
	expect(await submit("other")).toMatchObject({ status: 400, json: { detail: 'Team research has no secret "other".' } });
});
