import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Ran, runCommand } from "#cli/testing/run-command.ts";
import { RestWorld } from "#server/api/testing/rest-world.ts";
import { account } from "#server/db/schema/account.ts";
import { audit } from "#server/db/schema/audit.ts";
import { deviceLogin } from "#server/db/schema/device-login.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { decideDeviceLogin, getDeviceLogin } from "#server/services/governance/device-login/decide.ts";

let world: RestWorld;
beforeAll(async () => {
	world = await RestWorld.open();
});
afterAll(() => world.close());

const start = async (clientName = "laptop") => (await world.post("/login/device", { clientName }, { as: null })).json;
const redeem = (deviceCode: string) => world.post("/login/token", { deviceCode }, { as: null });

/** A person in the browser. */
function inBrowser(via: "session" | "token" = "session"): ServiceContext {
	const actor = {
		kind: "person" as const,
		accountId: "usr_scientist",
		name: "scientist",
		role: "data_scientist" as const,
		teams: ["research"],
		via,
	};
	return { actor, db: world.database.db, clock: { nowMs: () => world.nowMs() }, requestId: null, source: "10.0.0.1" };
}

it("a command gets the token of the person who approves it, once", async () => {
	const { deviceCode, userCode, verificationUrl, intervalSeconds } = await start();
	expect(userCode).toMatch(/^[A-Z]{4}-[A-Z]{4}$/);
	expect(verificationUrl).toContain(`/device?code=${userCode}`);
	expect(intervalSeconds).toBeGreaterThan(0);
	expect((await redeem(deviceCode)).json).toEqual({ status: "pending" });
	expect(await getDeviceLogin(inBrowser(), { userCode: userCode.toLowerCase() })).toMatchObject({ clientName: "laptop" });
	await decideDeviceLogin(inBrowser(), { userCode, answer: "approved" });
	const { json } = await redeem(deviceCode);
	expect(json).toMatchObject({ status: "approved", name: "scientist" });
	expect((await world.get("/jobs", { token: json.token })).status).toBe(200);
	expect((await world.get("/accounts", { token: json.token })).status).toBe(403);
	expect((await redeem(deviceCode)).json).toEqual({ status: "expired" });
	const lines = await world.database.db.select().from(audit);
	expect(lines.filter(({ action }) => action.startsWith("device_login") || action === "token.create")).toMatchObject([
		{ action: "device_login.approved", actor: "account:usr_scientist" },
		{ action: "token.create", actor: "account:usr_scientist" },
	]);
	const stored = JSON.stringify([lines, await world.database.db.select().from(deviceLogin)]);
	for (const secret of [deviceCode, userCode, json.token]) expect(stored).not.toContain(secret);
});

it("a denied, expired or unknown sign-in gets no token", async () => {
	const denied = await start();
	await decideDeviceLogin(inBrowser(), { userCode: denied.userCode, answer: "denied" });
	expect((await redeem(denied.deviceCode)).json).toEqual({ status: "denied" });
	await expect(decideDeviceLogin(inBrowser(), { userCode: denied.userCode, answer: "approved" })).rejects.toMatchObject({
		code: "not_found",
	});
	const late = await start();
	await decideDeviceLogin(inBrowser(), { userCode: late.userCode, answer: "approved" });
	world.shiftMs += 11 * MINUTE_MS;
	expect((await redeem(late.deviceCode)).json).toEqual({ status: "expired" });
	expect((await redeem("guess")).json).toEqual({ status: "expired" });
	expect((await world.post("/login/device", { clientName: "" }, { as: null })).status).toBe(400);
});

it("a token cannot approve, and a disabled person gets none", async () => {
	const one = await start();
	await expect(decideDeviceLogin(inBrowser("token"), { userCode: one.userCode, answer: "approved" })).rejects.toMatchObject({
		code: "forbidden",
	});
	await decideDeviceLogin(inBrowser(), { userCode: one.userCode, answer: "approved" });
	await world.database.db.update(account).set({ disabledAt: new Date() }).where(eq(account.id, "usr_scientist"));
	expect((await redeem(one.deviceCode)).json).toEqual({ status: "denied" });
	await world.database.db.update(account).set({ disabledAt: null }).where(eq(account.id, "usr_scientist"));
});

it("limits the number of sign-ins started from an address", async () => {
	world.shiftMs += 20 * MINUTE_MS;
	const statuses = [];
	for (let i = 0; i < 31; i++) statuses.push((await world.post("/login/device", { clientName: "x" }, { as: null })).status);
	expect(statuses.filter((status) => status === 201)).toHaveLength(30);
	expect(statuses.at(-1)).toBe(429);
	world.shiftMs += 20 * MINUTE_MS;
});

it("spillway login waits for the approval, and logout revokes", async () => {
	const folder = mkdtempSync(path.join(os.tmpdir(), "spillway-login-"));
	const given = { SPILLWAY_TOKEN: "", SPILLWAY_URL: world.url, SPILLWAY_HOME: folder, XDG_CONFIG_HOME: folder };
	const run = (args: string[], onErr?: (text: string) => void): Promise<Ran> => {
		return runCommand(args, { env: given, ...(onErr && { onOutput: onErr }) });
	};
	try {
		expect((await run(["jobs"])).code).toBe(4);
		let isApproved = false;
		const signedIn = await run(["login", "--name", "test machine"], (err) => {
			const code = /code ([A-Z]{4}-[A-Z]{4})/.exec(err)?.[1];
			if (code === undefined || isApproved) return;
			isApproved = true;
			void decideDeviceLogin(inBrowser(), { userCode: code, answer: "approved" });
		});
		expect(signedIn).toMatchObject({ code: 0, out: expect.stringContaining("Signed in as scientist") });
		expect((await run(["jobs"])).code).toBe(0);
		const saved = path.join(folder, "spillway", "logins.json");
		const { token } = JSON.parse(readFileSync(saved, "utf8"))[world.url];
		expect(await run(["logout"])).toMatchObject({ code: 0, out: expect.stringContaining("Signed out") });
		expect(existsSync(saved) && readFileSync(saved, "utf8")).not.toContain(token);
		world.shiftMs += 6_000;
		expect((await world.get("/jobs", { token })).status).toBe(401);
		expect((await run(["jobs"])).code).toBe(4);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});
