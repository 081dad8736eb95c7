import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "#cli/testing/run-command.ts";
import { systemContext } from "#server/services/core/context.ts";
import { changeBudgetSettings } from "#server/services/ledger/budget/settings.ts";
import { RestWorld } from "../testing/rest-world.ts";

let world: RestWorld;
beforeAll(async () => {
	world = await RestWorld.open();
});
afterAll(() => world.close());

const call = (method: string, at: string, options: Parameters<RestWorld["call"]>[2]) => world.call(method, `/api/v1${at}`, options);
const spillway = (args: string[], token = world.tokens.finance) =>
	runCommand(args, { env: { SPILLWAY_TOKEN: token, SPILLWAY_URL: world.url } });

describe("budgets over REST and the command line", () => {
	it("show a budget by its id, with money as text, and report a missing one", async () => {
		const { status, json } = await world.get("/budgets/cloud-month", { as: "scientist" });
		expect(status).toBe(200);
		expect(json).toMatchObject({
			id: "cloud-month",
			capMicroUsd: "1000000000",
			postedMicroUsd: "0",
			forecast: null,
			history: [],
			policyVersion: 1,
		});
		expect((await world.get("/budgets/nobody")).status).toBe(404);
		expect((await world.get("/budgets/cloud-month?period=soon")).status).toBe(400);
	});

	it("change a cap from the command line for permitted people, and show it", async () => {
		const refused = await spillway(["budgets", "set", "cloud-month", "--cap", "5", "--message", "less"], world.tokens.scientist);
		expect(refused).toMatchObject({ code: 4, out: "" });
		const set = await spillway(["budgets", "set", "cloud-month", "--cap", "$1,250", "--message", "two more teams"]);
		expect(set, set.err).toMatchObject({ code: 0, out: "cloud-month  $1,000.00 -> $1,250.00  policy version 2\n" });
		const shown = await spillway(["budgets", "show", "cloud-month"]);
		expect(shown.out).toContain("Total cloud spending is at most $1,250 a month");
		expect(shown.out).toMatch(/Cap\s+\$1,250\.00/);
		expect((await spillway(["budgets"])).out).toMatch(/cloud-month\s+month\s+\$1,250\.00/);
		expect((await spillway(["budgets", "set", "cloud-month", "--cap", "5"])).err).toContain("--message is missing");
	});

	it("require a second person: 202 and a proposal that its author cannot approve", async () => {
		await changeBudgetSettings(systemContext(world.database.db, world), { secondPerson: true });
		const proposed = await call("PUT", "/budgets/cloud-month", { as: "finance", body: { capUsd: "2000", message: "more" } });
		expect(proposed.status).toBe(202);
		const id = proposed.json.proposalId;
		expect((await call("POST", `/proposals/${id}/approve`, { as: "finance" })).status).toBe(403);
		expect((await world.get("/proposals", { as: "finance" })).json.items).toMatchObject([
			{ id, mine: true, decision: null, toMicroUsd: "2000000000" },
		]);
		const approved = await call("POST", `/proposals/${id}/approve`, { as: "platform" });
		expect(approved.json).toEqual({ policyVersion: 3 });
		expect((await call("POST", `/proposals/${id}/reject`, { as: "platform" })).status).toBe(409);
		expect((await world.get("/budgets/cloud-month")).json.capMicroUsd).toBe("2000000000");
	});

	it("have channels: the key is returned once, addresses never; a test is logged", async () => {
		const body = { kind: "webhook", name: "ops", topics: ["money_at_risk"], team: null, url: "https://hooks.acme.test/secret-path" };
		const made = await call("POST", "/channels", { as: "finance", body });
		expect(made.status).toBe(201);
		expect(made.json.signingKey).toHaveLength(43);
		const listed = await world.get("/channels", { as: "finance" });
		expect(listed.json.items).toMatchObject([{ name: "ops", target: "hooks.acme.test" }]);
		expect(listed.text).not.toContain("secret-path");
		expect((await world.get("/channels", { as: "scientist" })).status).toBe(403);
		expect((await call("POST", `/channels/${made.json.id}/test`, { as: "finance" })).status).toBe(202);
		expect((await world.get("/deliveries?state=pending", { as: "finance" })).json.items).toMatchObject([
			{ channelName: "ops", state: "pending" },
		]);
		expect((await call("PUT", `/channels/${made.json.id}`, { as: "finance", body: { enabled: false } })).status).toBe(200);
		const cli = (...args: string[]) => spillway(["channels", ...args]);
		expect(await cli("set", "ops", "--digest", "daily")).toMatchObject({ code: 0, out: `${made.json.id}  ops  daily\n` });
		expect((await cli("ls")).out).toMatch(/DIGEST.*\n.* daily +off /);
		expect(await cli("set", "ops", "--digest", "weekly")).toMatchObject({
			code: 2,
			err: expect.stringContaining("immediate, hourly, daily"),
		});
		expect(await cli("set", "none", "--digest", "daily")).toMatchObject({ code: 3 });
		expect((await call("PUT", `/channels/${made.json.id}`, { as: "finance", body: { digest: "weekly" } })).status).toBe(400);
		expect((await call("PUT", `/channels/${made.json.id}`, { as: "scientist", body: { digest: "daily" } })).status).toBe(403);
		expect((await call("POST", `/channels/${made.json.id}/remove`, { as: "finance" })).status).toBe(200);
		expect((await world.get("/channels", { as: "finance" })).json.items).toEqual([]);
		expect((await world.get("/alerts?state=open", { as: "finance" })).json).toEqual({ items: [], nextCursor: null });
	});
});
