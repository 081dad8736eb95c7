import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { asc, eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { aJob, RestWorld } from "#server/api/testing/rest-world.ts";
import { TokenAuthenticator } from "#server/auth/tokens.ts";
import { account } from "#server/db/schema/account.ts";
import { audit } from "#server/db/schema/audit.ts";
import { DEFAULT_GROUP_MAP } from "#server/domain/group-map.ts";
import { defined } from "#server/kernel/assert.ts";
import { actorOfSession, readSessionEpoch } from "#server/services/governance/sign-in/session-epoch.ts";
import { issueToken } from "#server/services/governance/token/issue.ts";
import { handleScim } from "./handler.ts";

let world: RestWorld;
let server: Server;
let url: string;

beforeAll(async () => {
	world = await RestWorld.open();
	const tokens = new TokenAuthenticator(world.database.db);
	const clock = { nowMs: () => world.nowMs() };
	const rt = {
		...{ connection: world.database, clock, groupMap: DEFAULT_GROUP_MAP, publicUrl: "https://spillway.example.com" },
		...{
			authenticate: (token: string, nowMs: number) => tokens.actorOf(token, nowMs),
			logError: (_: string, error: unknown) => console.error(error),
		},
	};
	server = createServer((req, res) => void handleScim(rt, req, res));
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/scim/v2`;
});
afterAll(async () => {
	server.close();
	await world.close();
});

async function scim(method: string, path: string, body?: unknown, as: "platform" | "scientist" | null = "platform") {
	const response = await fetch(`${url}${path}`, {
		method,
		headers: { ...(as && { authorization: `Bearer ${world.tokens[as]}` }), "content-type": "application/scim+json" },
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	const text = await response.text();
	// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every form
	return { status: response.status, json: (text === "" ? null : JSON.parse(text)) as any };
}

const person = (name: string) => ({
	...{ schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"], userName: `${name}@example.test`, externalId: `ext-${name}` },
	...{ name: { givenName: name, familyName: "Doe" }, emails: [{ value: `${name}@example.test`, primary: true }], active: true },
});
const rightsOf = async (id: string) => {
	const [row] = await world.database.db.select().from(account).where(eq(account.id, id));
	return row && { role: row.role, teams: row.teams, disabled: row.disabledAt !== null };
};
const auditOf = async (subject: string) =>
	(await world.database.db.select().from(audit).where(eq(audit.subject, subject)).orderBy(asc(audit.id))).map(({ action }) => action);

it("a removed person loses access within 5 seconds, and their job continues under the team", async () => {
	const { json: ann } = await scim("POST", "/Users", person("ann"));
	expect(ann).toMatchObject({ userName: "ann@example.test", displayName: "ann Doe", active: true, meta: { resourceType: "User" } });
	const { json: group } = await scim("POST", "/Groups", { displayName: "spillway-team-research", members: [{ value: ann.id }] });
	expect(await rightsOf(ann.id)).toEqual({ role: "data_scientist", teams: ["research"], disabled: false });
	const { token } = await issueToken(world.database.db, { accountId: ann.id, name: "cli", nowMs: world.nowMs() });
	const submitted = await world.post("/jobs", aJob(), { token });
	expect(submitted.status).toBe(201);
	const off = { Operations: [{ op: "Replace", path: "active", value: "False" }] };
	expect((await scim("PATCH", `/Users/${ann.id}`, off)).json.active).toBe(false);
	world.shiftMs += 5_000;
	expect((await world.get("/jobs", { token })).status).toBe(401);
	const job = await world.get(`/jobs/${submitted.json.id}`, { as: "scientist" });
	expect([job.json.team, job.json.state]).toEqual(["research", "queued"]);
	expect((await scim("DELETE", `/Users/${ann.id}`)).status).toBe(204);
	expect((await scim("GET", `/Users/${ann.id}`)).status).toBe(404);
	expect((await scim("GET", `/Groups/${group.id}`)).json.members).toEqual([]);
	expect(await auditOf(`account:${ann.id}`)).toEqual(
		expect.arrayContaining(["account.provision", "account.update", "account.disable", "account.deprovision"]),
	);
});

it("groups give roles and teams as members are added and removed", async () => {
	const [bob, eve] = [(await scim("POST", "/Users", person("bob"))).json, (await scim("POST", "/Users", person("eve"))).json];
	const { json: finance } = await scim("POST", "/Groups", { displayName: "spillway-finance" });
	const { json: vision } = await scim("POST", "/Groups", { displayName: "spillway-team-vision", members: [{ value: bob.id }] });
	const change = (id: string, ...Operations: unknown[]) => scim("PATCH", `/Groups/${id}`, { Operations });
	await change(finance.id, { op: "add", path: "members", value: [{ value: bob.id }, { value: eve.id }] });
	expect(await rightsOf(bob.id)).toMatchObject({ role: "finance", teams: ["vision"] });
	await change(finance.id, { op: "remove", path: `members[value eq "${bob.id}"]` });
	expect(await rightsOf(bob.id)).toMatchObject({ role: "data_scientist", teams: ["vision"] });
	await scim("PUT", `/Groups/${vision.id}`, { displayName: "spillway-team-nowhere", members: [{ value: bob.id }] });
	expect(await rightsOf(bob.id)).toMatchObject({ teams: [] });
	expect((await scim("DELETE", `/Groups/${finance.id}`)).status).toBe(204);
	expect(await rightsOf(eve.id)).toMatchObject({ role: "data_scientist" });
	expect(await auditOf(`group:${finance.id}`)).toEqual(["group.create", "group.update", "group.update", "group.delete"]);
	expect(await auditOf(`group:${vision.id}`)).toEqual(["group.create", "group.update"]);
});

it("mappings in Settings add to the process's: members change immediately, and errors are at their fields", async () => {
	const { json: mia } = await scim("POST", "/Users", person("mia"));
	await scim("POST", "/Groups", { displayName: "ml/engineers", members: [{ value: mia.id }] });
	expect(await rightsOf(mia.id)).toMatchObject({ role: "data_scientist", teams: [] });
	const list = async () => (await world.get("/group-mappings")).json;
	expect((await list()).seen).toContainEqual({ group: "ml/engineers", people: 1, isMapped: false });
	const set = (body: unknown, as: "platform" | "finance" = "platform") => world.call("PUT", "/api/v1/group-mappings", { as, body });
	expect((await set({ group: "ml/engineers", role: "finance", team: "vision" })).status).toBe(200);
	expect(await rightsOf(mia.id)).toMatchObject({ role: "finance", teams: ["vision"] });
	expect((await list()).mappings).toContainEqual({
		group: "ml/engineers",
		role: "finance",
		customRole: null,
		team: "vision",
		source: "settings",
	});
	expect((await list()).mappings).toContainEqual({
		group: "spillway-finance",
		role: "finance",
		customRole: null,
		team: null,
		source: "process",
	});
	const check = await world.post("/group-mappings/check", { groups: ["ml/engineers", "spillway-team-nowhere", "other"] });
	expect(check.json).toEqual({ role: "finance", customRole: null, teams: ["vision"], missingTeams: ["nowhere"], unmapped: ["other"] });
	expect((await set({ group: "x", team: "nowhere" })).json.fields).toMatchObject([{ path: "team" }]);
	expect((await set({ group: " ", role: "finance" })).json.fields).toMatchObject([{ path: "group" }]);
	expect((await set({ group: "x" })).json.fields).toMatchObject([{ path: "role", message: "Choose a role, a team or both." }]);
	expect((await set({ group: "x", role: "finance" }, "finance")).status).toBe(403);
	expect((await set({ group: "__proto__", role: "finance" })).json.fields).toMatchObject([{ path: "group" }]);
	expect((await set({ group: "constructor", role: "finance" })).status).toBe(200);
	expect((await list()).mappings).toContainEqual({
		group: "constructor",
		role: "finance",
		customRole: null,
		team: null,
		source: "settings",
	});
	expect((await world.post("/group-mappings/remove", { group: "constructor" })).status).toBe(200);
	expect((await world.post("/group-mappings/remove", { group: "ml/engineers" })).status).toBe(200);
	expect(await rightsOf(mia.id)).toMatchObject({ role: "data_scientist", teams: [] });
	expect((await world.post("/group-mappings/remove", { group: "spillway-finance" })).status).toBe(404);
	expect(await auditOf("group_mapping:ml/engineers")).toEqual(["group_mapping.set", "group_mapping.set"]);
});

it("gives the rights of a mapping created just before a member is added", async () => {
	for (let round = 0; round < 3; round++) {
		const { json: ada } = await scim("POST", "/Users", person(`ada${round}`));
		const group = `raced-${round}`;
		await Promise.all([
			scim("POST", "/Groups", { displayName: group, members: [{ value: ada.id }] }),
			world.call("PUT", "/api/v1/group-mappings", { body: { group, role: "finance" } }),
		]);
		expect(await rightsOf(ada.id)).toMatchObject({ role: "finance" });
	}
});

it("a browser session ends when its person is deactivated, and stays ended when they return", async () => {
	const { db } = world.database;
	const { id } = (await scim("POST", "/Users", person("lou"))).json;
	const setActive = (value: boolean) => scim("PATCH", `/Users/${id}`, { Operations: [{ op: "replace", path: "active", value }] });
	const session = { accountId: id, epoch: defined(await readSessionEpoch(db, id), "an epoch") };
	expect(await actorOfSession(db, session, false)).toMatchObject({ accountId: id });
	await setActive(false);
	expect(await actorOfSession(db, session, false)).toBeNull();
	await setActive(true);
	expect(await actorOfSession(db, session, false)).toBeNull();
	expect(await readSessionEpoch(db, id)).toBeGreaterThan(session.epoch);
});

it("lists by filter and page, and rejects a name that is taken", async () => {
	await scim("POST", "/Users", person("kim"));
	const found = (await scim("GET", `/Users?filter=${encodeURIComponent('userName eq "KIM@example.test"')}`)).json;
	expect(found).toMatchObject({ totalResults: 1, Resources: [{ externalId: "ext-kim" }] });
	expect((await scim("GET", "/Users?startIndex=2&count=1")).json).toMatchObject({ startIndex: 2, itemsPerPage: 1 });
	expect(await scim("POST", "/Users", person("kim"))).toMatchObject({ status: 409, json: { scimType: "uniqueness", status: "409" } });
	expect((await scim("GET", "/Users?filter=userName%20co%20%22a%22")).status).toBe(400);
	expect((await scim("GET", "/ServiceProviderConfig")).json).toMatchObject({ patch: { supported: true } });
});

it.each([
	["POST", "/Users", {}],
	["POST", "/Users", { userName: "no-address" }],
	["POST", "/Groups", { displayName: "g", members: [{ value: "usr_nobody" }] }],
	["POST", "/Groups", { displayName: 7 }],
])("rejects %s %s %j", async (method, path, body) => {
	expect((await scim(method, path, body)).status).toBe(400);
});

it("is limited to administrators", async () => {
	expect((await scim("GET", "/Users", undefined, null)).status).toBe(401);
	expect((await scim("GET", "/Users", undefined, "scientist")).status).toBe(403);
	expect((await scim("POST", "/Users", {}, "scientist")).status).toBe(403);
	expect((await scim("GET", "/Nothing")).status).toBe(404);
});

it("never removes the last administrator who can sign in", async () => {
	const boss = person("boss");
	const { json } = await scim("POST", "/Users", boss);
	await world.database.db.update(account).set({ role: "platform", passwordHash: "x" }).where(eq(account.id, json.id));
	expect((await scim("PATCH", `/Users/${json.id}`, { Operations: [{ op: "replace", value: { active: false } }] })).status).toBe(409);
});
