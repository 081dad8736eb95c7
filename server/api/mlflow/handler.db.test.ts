import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { RestWorld } from "#server/api/testing/rest-world.ts";
import { systemClock } from "#server/kernel/clock.ts";
import type { Actor } from "#server/services/core/context.ts";
import { listJobMetrics } from "#server/services/work/metric/list.ts";
import { handleMlflow, MLFLOW_PREFIX } from "./handler.ts";

let world: RestWorld;
let server: Server;
let base: string;

const person = (name: string, teams: string[]): Actor => ({
	kind: "person",
	accountId: `usr_${name}`,
	name,
	role: "data_scientist",
	teams,
	via: "token",
});
const PEOPLE: Readonly<Record<string, Actor>> = {
	scientist: person("scientist", ["research"]),
	stranger: person("stranger", ["elsewhere"]),
};

beforeAll(async () => {
	world = await RestWorld.open();
	const rt = {
		connection: world.database,
		clock: systemClock,
		logError: () => {},
		authenticate: async (token: string) => PEOPLE[token] ?? null,
	} as unknown as Parameters<typeof handleMlflow>[0];
	server = createServer((req, res) => void handleMlflow(rt, req, res));
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	base = `http://127.0.0.1:${(server.address() as AddressInfo).port}${MLFLOW_PREFIX}`;
});
afterAll(async () => {
	server.close();
	await world.close();
});

interface Answer {
	status: number;
	// biome-ignore lint/suspicious/noExplicitAny: answers of another product's API
	json: any;
}

async function call(method: "GET" | "POST", path: string, body: object, token = "scientist"): Promise<Answer> {
	const query = method === "GET" ? `?${new URLSearchParams(body as Record<string, string>)}` : "";
	const response = await fetch(`${base}${path}${query}`, {
		method,
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
		...(method === "POST" && { body: JSON.stringify(body) }),
	});
	return { status: response.status, json: await response.json() };
}

// The calls of mlflow 2.x for set_experiment, start_run, log_param, log_metric, log_metrics, set_tag and end_run.
it("logs a run as the stock client does, and shows its metrics with the job", async () => {
	const jobId = String(
		(
			await world.post(
				"/jobs",
				{ apiVersion: "spillway/v1", kind: "Job", metadata: { name: "train", team: "research" }, spec: { command: ["true"] } },
				{ as: "scientist" },
			)
		).json.id,
	);
	expect(await call("GET", "/experiments/get-by-name", { experiment_name: "fraud" })).toMatchObject({
		status: 404,
		json: { error_code: "RESOURCE_DOES_NOT_EXIST" },
	});
	const { json: made } = await call("POST", "/experiments/create", { name: "fraud", artifact_location: "", tags: [] });
	expect(await call("POST", "/experiments/create", { name: "fraud" })).toMatchObject({
		status: 409,
		json: { error_code: "RESOURCE_ALREADY_EXISTS" },
	});
	const start = Date.now();
	const { json: created } = await call("POST", "/runs/create", {
		experiment_id: made.experiment_id,
		user_id: "ada",
		start_time: start,
		run_name: "lively-owl-1",
		tags: [
			{ key: "mlflow.source.type", value: "LOCAL" },
			{ key: "spillway.job_id", value: jobId },
		],
	});
	const run_id: string = created.run.info.run_id;
	expect(created.run.info).toMatchObject({
		run_uuid: run_id,
		status: "RUNNING",
		experiment_id: made.experiment_id,
		user_id: "ada",
		start_time: start,
	});
	await call("POST", "/runs/log-parameter", { run_uuid: run_id, run_id, key: "rate", value: "0.1" });
	for (const step of [1, 2])
		await call("POST", "/runs/log-metric", { run_uuid: run_id, run_id, key: "loss", value: 1 / step, timestamp: start + step, step });
	// The latest step counts, in any order of arrival.
	await call("POST", "/runs/log-batch", {
		run_id,
		metrics: [
			{ key: "loss", value: 9, timestamp: start, step: 0 },
			{ key: "acc", value: "NaN", timestamp: start, step: 1 },
		],
		params: [],
		tags: [{ key: "team", value: "a" }],
	});
	await call("POST", "/runs/update", { run_id, status: "FINISHED", end_time: start + 5 });
	const { json } = await call("GET", "/runs/get", { run_id, run_uuid: run_id });
	expect(json.run.info).toMatchObject({ status: "FINISHED", end_time: start + 5 });
	expect(json.run.data).toMatchObject({
		params: [{ key: "rate", value: "0.1" }],
		tags: expect.arrayContaining([{ key: "team", value: "a" }]),
	});
	expect(json.run.data.metrics).toEqual([
		{ key: "acc", value: "NaN", step: 1, timestamp: start },
		{ key: "loss", value: 0.5, step: 2, timestamp: start + 2 },
	]);
	const history = await call("GET", "/metrics/get-history", { run_id, metric_key: "loss" });
	expect(history.json.metrics.map(({ value }: { value: number }) => value)).toEqual([9, 1, 0.5]);
	expect((await call("POST", "/runs/search", { experiment_ids: [made.experiment_id], max_results: 10 })).json.runs).toHaveLength(1);
	const ctx = { actor: PEOPLE["scientist"] as Actor, db: world.database.db, clock: systemClock, requestId: null };
	expect((await listJobMetrics(ctx, jobId)).find(({ key }) => key === "loss")).toMatchObject({ count: 3, last: { step: 2, value: 0.5 } });
	// Another team finds nothing, and parameters are immutable.
	expect(await call("GET", "/runs/get", { run_id }, "stranger")).toMatchObject({ status: 404 });
	expect(await call("POST", "/runs/log-metric", { run_id, key: "loss", value: 1 }, "stranger")).toMatchObject({ status: 404 });
	expect(await call("POST", "/runs/log-parameter", { run_id, key: "rate", value: "0.2" })).toMatchObject({ status: 409 });
});

it.each([
	["POST", "/runs/log-metric", { run_id: "x", key: "loss", value: "high" }, 400],
	["POST", "/runs/create", { experiment_id: "x" }, 400],
	["GET", "/experiments/get", { experiment_id: "99999999999" }, 404],
	["GET", "/runs/get", {}, 400],
	["GET", "/nothing", {}, 404],
] as const)("responds to %s %s with %o by %i", async (method, path, body, status) => {
	expect(await call(method, path, body)).toMatchObject({ status, json: { error_code: expect.any(String), message: expect.any(String) } });
});

it("needs a token", async () => {
	expect(await call("GET", "/experiments/search", {}, "unknown")).toMatchObject({ status: 401, json: { error_code: "UNAUTHENTICATED" } });
});
