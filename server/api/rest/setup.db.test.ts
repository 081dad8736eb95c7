import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Ran, runCommand } from "#cli/testing/run-command.ts";
import { RestWorld } from "#server/api/testing/rest-world.ts";
import { signInWithPassword } from "#server/auth/sign-in-password.ts";
import { account } from "#server/db/schema/account.ts";
import { audit } from "#server/db/schema/audit.ts";
import { env } from "#server/env.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { currentSetUpCode, setUpCode } from "#server/services/governance/sign-in/set-up-code.ts";

let world: RestWorld;
beforeAll(async () => {
	world = await RestWorld.open();
});
afterAll(() => world.close());

const ADA = { email: "ada@example.test", name: "Ada", password: "correct horse battery" };
const create = (body: object) => world.post("/setup/administrator", body, { as: null });
const isNeeded = async () => (await world.get("/setup/administrator", { as: null })).json.isNeeded;

it("creates the first administrator with the code from the log, once", async () => {
	const { db } = world.database;
	expect(await isNeeded()).toBe(true);
	const code = await currentSetUpCode(db, env());
	if (code === null) throw new Error("no set-up code");
	expect(code).toMatch(/^[A-Z0-9]{4}(-[A-Z0-9]{4}){3}$/);
	expect(await create({ ...ADA, code: "AAAA-AAAA-AAAA-AAAA" })).toMatchObject({ status: 403, json: { fields: [{ path: "code" }] } });
	expect(await create({ ...ADA, code, password: "short" })).toMatchObject({ status: 400, json: { fields: [{ path: "password" }] } });
	const made = await create({ ...ADA, code: code.toLowerCase().replaceAll("-", " ") });
	expect(made).toMatchObject({ status: 201, json: { token: expect.stringMatching(/^spw_/) } });
	expect(await isNeeded()).toBe(false);
	expect(await create({ ...ADA, email: "eve@example.test", code })).toMatchObject({ status: 409 });
	const at = { nowMs: world.nowMs(), source: null, demo: false };
	expect(await signInWithPassword(db, ADA, at)).toMatchObject({ ok: true, account: { role: "platform" } });
	const lines = await db.select().from(audit).where(eq(audit.action, "account.first_administrator"));
	expect(lines).toMatchObject([{ after: { email: ADA.email, by: "set-up code" } }]);
	expect(JSON.stringify(lines)).not.toContain(ADA.password);
	expect((await world.get("/setup", { token: made.json.token })).json).toMatchObject({
		isStarted: true,
		steps: { company: "open", team: "done" },
	});
});

it("a used code does not work again after the administrator is disabled", async () => {
	const { db } = world.database;
	await db.update(account).set({ disabledAt: new Date() }).where(eq(account.email, ADA.email));
	expect(await isNeeded()).toBe(true);
	expect((await create({ ...ADA, code: setUpCode(env().SPILLWAY_SECRET, 0) })).status).toBe(403);
	const code = await currentSetUpCode(db, env());
	expect(code).toBe(setUpCode(env().SPILLWAY_SECRET, 1));
	expect((await create({ ...ADA, code })).status).toBe(201);
});

it("two concurrent set-ups create one administrator", async () => {
	const { db } = world.database;
	await db.update(account).set({ disabledAt: new Date() }).where(eq(account.email, ADA.email));
	world.shiftMs += 16 * MINUTE_MS;
	const code = await currentSetUpCode(db, env());
	const both = await Promise.all(["one@example.test", "two@example.test"].map((email) => create({ ...ADA, email, code })));
	expect(both.map((answer) => answer.status).sort()).toEqual([201, 409]);
});

it("limits attempts per address", async () => {
	world.shiftMs += 16 * MINUTE_MS;
	const tries = [];
	for (let i = 0; i < 11; i++) tries.push((await create({ ...ADA, code: "wrong" })).status);
	expect(tries.slice(0, 10)).not.toContain(429);
	expect(tries[10]).toBe(429);
});

it("steps are completed, skipped and resumed", async () => {
	const { db } = world.database;
	expect((await world.call("PUT", "/api/v1/setup/company", { body: { zone: "Mars/Olympus" } })).status).toBe(400);
	expect((await world.call("PUT", "/api/v1/setup/company", { body: { zone: "Europe/Berlin" } })).status).toBe(200);
	expect((await world.get("/setup")).json).toMatchObject({ zone: "Europe/Berlin", steps: { company: "done", policy: "done" } });
	await db.execute(sql`delete from team`);
	expect((await world.get("/setup")).json.steps.team).toBe("open");
	expect((await world.post("/setup/skip", { step: "team" })).status).toBe(200);
	expect((await world.get("/setup")).json.steps.team).toBe("skipped");
	expect((await world.post("/teams", { name: "first" })).status).toBe(201);
	expect((await world.get("/setup")).json.steps.team).toBe("done");
	expect((await world.get("/setup", { as: "finance" })).status).toBe(403);
});

it("builds the first policy from four answers, with its sentences, and publishes it", async () => {
	const answers = { leave: "not_sensitive", regions: "europe", monthlyCapUsd: 900, burst: "wait", approver: "none" };
	const { status, json } = await world.post("/setup/policy", answers);
	expect([status, json.check.ok]).toEqual([200, true]);
	expect(json.check.sentences.length).toBeGreaterThan(2);
	expect((await world.post("/setup/policy", { ...answers, monthlyCapUsd: 0 })).json.fields[0].path).toBe("monthlyCapUsd");
});

it("spillway init sets up an empty installation, and resumes", async () => {
	const { db } = world.database;
	const folder = mkdtempSync(path.join(os.tmpdir(), "spillway-init-"));
	const run = (args: string[], input = ""): Promise<Ran> => {
		const given = { SPILLWAY_TOKEN: "", SPILLWAY_URL: world.url, SPILLWAY_HOME: folder, XDG_CONFIG_HOME: folder };
		return runCommand(["init", ...args], { env: given, stdin: input });
	};
	try {
		world.shiftMs += 16 * MINUTE_MS;
		await db.update(account).set({ disabledAt: new Date() }).where(eq(account.role, "platform"));
		await db.execute(sql`delete from team`);
		await db.execute(sql`delete from policy`);
		await db.execute(sql`update setting set value = value - 'steps' where key = 'setup'`);
		expect(await run([])).toMatchObject({ code: 2, err: expect.stringContaining("Give --code") });
		const code = String(await currentSetUpCode(db, env()));
		const administrator = ["--code", code, "--email", "grace@example.test", "--name", "Grace", "--password-file", "-"];
		const first = await run([...administrator, "--zone", "Europe/Berlin"], "a long enough password\n");
		expect(first.code).toBe(0);
		expect(first.out.split("\n").map((line) => line.trim().split(" ")[0])).toEqual(
			expect.arrayContaining(["team", "store", "policy", "test"]),
		);
		const saved = path.join(folder, "spillway", "logins.json");
		expect(statSync(saved).mode & 0o777).toBe(0o600);
		expect(JSON.parse(readFileSync(saved, "utf8"))).toEqual({ [world.url]: { token: expect.stringMatching(/^spw_/) } });
		const skipped = ["store", "test"].flatMap((step) => ["--skip", step]);
		const second = await run([...skipped, "--team", "research", "--leave", "not_sensitive", "--cap", "5000", "--yes"]);
		expect(second.err).toContain("capUsd: 5000");
		expect(second).toMatchObject({ code: 0, out: expect.stringContaining("Set-up is complete") });
		const [active] = await db.execute<{ source: string }>(sql`select source from policy_version order by created_at desc limit 1`);
		expect(active?.source).toContain("sensitive-stays-home");
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});
