import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { pipelineHold, pipelineRun, pipeline as pipelineTable } from "#server/db/schema/pipeline.ts";
import { aJob, type Person, RestWorld } from "../testing/rest-world.ts";

const COMMAND = path.resolve(import.meta.dirname, "../../../cli/spillway.mjs");
/** Only the cloud has it. */
const CLOUD_ONLY = { command: ["python", "train.py"], accelerators: ["A10G-24GB"] };

let world: RestWorld;
beforeAll(async () => {
	world = await RestWorld.open();
});
afterAll(() => world.close());

// biome-ignore lint/suspicious/noExplicitAny: answers of the tools have any form
type Answer = { isError: boolean; text: string; json: any };

/** The SDK's own client, connected to `spillway mcp` over stdio. */
async function connect(args: string[], { as = "scientist", token }: { as?: Person; token?: string } = {}) {
	const client = new Client({ name: "test", version: "1.0.0" });
	const env = {
		SPILLWAY_URL: world.url,
		SPILLWAY_TOKEN: token ?? world.tokens[as],
		SPILLWAY_TEAM: "research",
		PATH: process.env.PATH ?? "",
	};
	await client.connect(new StdioClientTransport({ command: process.execPath, args: [COMMAND, "mcp", ...args], env, stderr: "inherit" }));
	onTestFinished(() => client.close());
	const call = async (name: string, input: Record<string, unknown>): Promise<Answer> => {
		const { content, isError = false } = await client.callTool({ name, arguments: input });
		const [{ text = "" } = {}] = content as { text?: string }[];
		return { isError: isError === true, text, json: isError ? undefined : JSON.parse(text) };
	};
	return { client, call };
}

describe("spillway mcp", () => {
	it("quotes, submits, explains, reads logs and spend with the caller's rights", async () => {
		const { client, call } = await connect(["--limit-usd", "5"]);
		const { tools } = await client.listTools();
		expect(tools.map(({ name }) => name)).toEqual(["quote", "submit", "explain", "logs", "spend"]);
		const before = await world.written();
		const quoted = await call("quote", CLOUD_ONLY);
		expect(quoted.json, quoted.text).toMatchObject({ isWithinLimit: true, limitLeftMicroUsd: "5000000" });
		expect(Number(quoted.json.estimateMicroUsd)).toBeGreaterThan(400_000);
		expect((await world.written()).jobs).toBe(before.jobs);
		const { json } = await call("submit", CLOUD_ONLY);
		expect(json).toMatchObject({
			state: "queued",
			estimateMicroUsd: quoted.json.estimateMicroUsd,
			note: expect.stringMatching(/without approval/),
		});
		expect((await world.get(`/jobs/${json.id}`)).json).toMatchObject({ team: "research", name: "train" });
		expect((await call("explain", { job: json.id })).json).toMatchObject({ id: json.id, state: "queued", waiting: expect.anything() });
		const home = await world.submit({ name: "home" });
		await world.log(await world.start(home), "\u001b[31mone", "two");
		expect((await call("logs", { job: "home", tail: 2 })).json).toMatchObject({ id: home, attempt: 1, lines: ["one", "two"] });
		expect((await call("spend", { groupBy: "team" })).json).toMatchObject({
			groupBy: "team",
			session: { limitMicroUsd: "5000000", usedMicroUsd: json.allowanceMicroUsd },
		});
	});

	it("gives each job an allowance from the limit; jobs beyond it need approval", async () => {
		const { call } = await connect(["--limit-usd", "4"]);
		const first = (await call("submit", CLOUD_ONLY)).json;
		const second = (await call("submit", CLOUD_ONLY)).json;
		const third = (await call("submit", CLOUD_ONLY)).json;
		const allowances = [first, second, third].map((one) => Number(one.allowanceMicroUsd));
		expect(allowances[0]).toBe(Number(first.estimateMicroUsd));
		expect(allowances.reduce((sum, one) => sum + one)).toBe(4_000_000);
		expect(third).toMatchObject({ allowanceMicroUsd: "0", note: expect.stringContaining("needs approval") });
		const specs = await Promise.all([first, third].map(async ({ id }) => (await world.get(`/jobs/${id}`)).json.spec.approvalAboveUsd));
		expect(specs).toEqual([Number(first.estimateMicroUsd) / 1e6, 0]);
		// An ended job counts with its actual cost, which is 0 here.
		await world.post(`/jobs/${first.id}/cancel`, undefined);
		expect((await call("spend", {})).json.session.usedMicroUsd).toBe(String(4_000_000 - Number(first.estimateMicroUsd)));
	});

	it("holds a job above its limit for finance", async () => {
		const spec = { command: ["true"], resources: { gpus: 1, accelerators: ["A10G-24GB"] } };
		const quote = async (approvalAboveUsd: number) => (await world.post("/quotes", aJob({ spec: { ...spec, approvalAboveUsd } }))).json;
		expect(await quote(0)).toMatchObject({
			reason: { code: "approval_required" },
			approval: { role: "finance", ruleId: "spec.approvalAboveUsd" },
		});
		expect(await quote(1_000)).toMatchObject({ approval: null });
	});

	it("returns wrong arguments and missing rights as tool errors", async () => {
		const { call } = await connect([]);
		expect(await call("submit", { command: ["true"], gpus: 0 })).toMatchObject({ isError: true, text: expect.stringMatching(/gpus/) });
		expect(await call("explain", { job: "none" })).toMatchObject({ isError: true, text: expect.stringContaining('no job "none"') });
		expect(await call("logs", { tail: 0 })).toMatchObject({ isError: true });
		const { call: asFinance } = await connect([], { as: "finance" });
		expect(await asFinance("submit", { command: ["true"] })).toMatchObject({
			isError: true,
			text: expect.stringContaining("Your role (finance)"),
		});
	});
});

describe("a token with a spending limit", () => {
	it("limits every job, quote and token created with it, and creates no triggers", async () => {
		const made = await world.post("/tokens", {
			name: "agent",
			scopes: ["read", "jobs", "accounts"],
			expiresInDays: 1,
			approvalAboveUsd: 2.5,
		});
		const token = String(made.json.token);
		const limitOfJob = async (spec: object) => {
			const { json } = await world.post("/jobs", aJob({ spec }), { token });
			return (await world.get(`/jobs/${json.id}`)).json.spec.approvalAboveUsd;
		};
		expect(await limitOfJob({})).toBe(2.5);
		expect(await limitOfJob({ approvalAboveUsd: 100 })).toBe(2.5);
		expect(await limitOfJob({ approvalAboveUsd: 1 })).toBe(1);
		const more = { name: "more", scopes: ["jobs"], expiresInDays: 1 };
		expect((await world.post("/tokens", more, { token })).status).toBe(403);
		expect((await world.post("/tokens", { ...more, approvalAboveUsd: 3 }, { token })).status).toBe(403);
		expect((await world.post("/tokens", { ...more, approvalAboveUsd: 2 }, { token })).status).toBe(201);
		const trigger = { apiVersion: "spillway/v1", kind: "Trigger", metadata: { name: "t", team: "research" } };
		const step = { name: "a", job: { command: ["true"] } };
		const pipeline = { apiVersion: "spillway/v1", kind: "Pipeline", metadata: { name: "p", team: "research" }, spec: { steps: [step] } };
		const refused = await world.post("/triggers", { ...trigger, spec: { webhook: {}, pipeline } }, { token });
		expect(refused).toMatchObject({ status: 403, json: { detail: expect.stringContaining("spending limit") } });
		expect((await world.post("/pipelines", pipeline, { token })).status).toBe(201);
		expect((await world.get("/tokens")).json.items).toContainEqual(expect.objectContaining({ name: "agent", approvalAboveUsd: 2.5 }));
		for (const bad of [-1, 1e10, 0.0000001])
			expect((await world.post("/tokens", { ...more, approvalAboveUsd: bad })).status, String(bad)).toBe(400);
	});

	it("cannot re-run work that has a higher limit or none", async () => {
		const more = { name: "again", scopes: ["read", "jobs"], expiresInDays: 1, approvalAboveUsd: 2.5 };
		const token = String((await world.post("/tokens", more)).json.token);
		const step = { name: "a", job: { command: ["true"] } };
		const pipeline = { apiVersion: "spillway/v1", kind: "Pipeline", metadata: { name: "p", team: "research" }, spec: { steps: [step] } };
		const trigger = { ...pipeline, kind: "Trigger", metadata: { name: "t", team: "research" }, spec: { webhook: {}, pipeline } };
		const { id: triggerId } = (await world.post("/triggers", trigger)).json;
		const [free, limited] = await Promise.all([
			Promise.all([world.post("/jobs", aJob()), world.post("/pipelines", pipeline)]),
			Promise.all([world.post("/jobs", aJob(), { token }), world.post("/pipelines", pipeline, { token })]),
		]);
		await world.database.db.update(pipelineRun).set({ state: "cancelled" });
		await world.database.db.delete(pipelineHold);
		await world.database.db.update(pipelineTable).set({ state: "cancelled", finishedAt: new Date() });
		const again = async ([job, run]: typeof free) => [
			(await world.post(`/jobs/${job.json.id}/resume`, undefined, { token })).status,
			(await world.post(`/pipelines/${run.json.id}/retry`, {}, { token })).status,
		];
		expect(await again(free)).toEqual([403, 403]);
		// The job is not held, so there is nothing to resume.
		expect(await again(limited)).toEqual([409, 202]);
		expect((await world.post(`/triggers/${triggerId}/enable`, { enabled: true }, { token })).status).toBe(403);
		expect((await world.post(`/triggers/${triggerId}/enable`, { enabled: false }, { token })).status).toBe(200);
	});
});
