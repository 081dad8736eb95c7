import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { asc, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { RestWorld } from "#server/api/testing/rest-world.ts";
import { newClusterMemory, syncCluster } from "#server/control-loop/cluster-sync.ts";
import type { LoopContext } from "#server/control-loop/context.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { jobLog } from "#server/db/schema/job-log.ts";
import { trackingRun } from "#server/db/schema/tracking.ts";
import { reason } from "#server/domain/reasons.ts";
import { LocalDriver } from "#server/providers/local/local-driver.ts";
import { eventually } from "#server/services/work/agent/testing/machine.ts";
import { aSpec, seedInstance, seedJob } from "#server/services/work/agent/testing/seed.ts";
import { type JobTracking, jobTracking } from "#server/services/work/metric/job-tracking.ts";
import { handleMlflow, type MlflowRuntime } from "./handler.ts";

let world: RestWorld;
let server: Server;
let home: string;
let driver: LocalDriver;
let ctx: LoopContext;
let tracking: JobTracking;

beforeAll(async () => {
	world = await RestWorld.open();
	home = await mkdtemp(path.join(os.tmpdir(), "spillway-tracking-"));
	const rt: MlflowRuntime = { ...world.runtime, env: { ...world.runtime.env, SPILLWAY_HOME: home } };
	server = createServer((req, res) => void handleMlflow(rt, req, res));
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	tracking = jobTracking(rt.env.SPILLWAY_SECRET, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
	driver = new LocalDriver("home", { home, slots: 4, accelerator: "A10G-24GB" });
	ctx = {
		...{ db: world.database.db, clock: world.runtime.clock, timing: world.runtime.timing, clusters: new Map(), clouds: new Map() },
		...{ checkpointRoot: path.join(home, "checkpoints"), artifactRoot: path.join(home, "artifacts"), log: () => {}, probe: () => {} },
		...{ userDataFor: () => "", bootstrapHashFor: () => "", tracking },
	};
});
afterAll(async () => {
	await driver.close({ stopJobs: true, graceMs: 0 });
	server.close();
	await world.close();
	await rm(home, { recursive: true, force: true });
});

/** Runs a Python script as a job at home until it ends. */
async function run(script: string, env: Record<string, string> = {}) {
	const { db } = world.database;
	const resources = { gpus: 1, accelerators: [], cpus: null, memoryGiB: null };
	const jobId = await seedJob(db, aSpec({ command: ["python3", "-c", script], resources, env }));
	const { attemptId } = await seedInstance(db, { jobId, number: 1, expiresAtMs: Date.now() + 1e6, providerInstanceId: null });
	await db.execute(sql`
		update attempt set site_id = 'home', slots = '{0}', placement = placement || '{"siteId": "home", "poolId": "local"}' where id = ${attemptId}`);
	const memory = newClusterMemory();
	const isOver = eq(attempt.id, attemptId);
	await eventually("the attempt is over", async () => {
		await syncCluster(ctx, driver, memory);
		const [row] = await db.select().from(attempt).where(isOver);
		return row?.finishedAt != null;
	});
	const rows = await db.select().from(jobLog).where(eq(jobLog.attemptId, attemptId)).orderBy(asc(jobLog.number));
	return { jobId, attemptId, log: rows.map(({ text }) => text) };
}

const get = async (at: string) => (await world.get(at, { as: "scientist" })).json;

async function call(at: string, body: object, token: string) {
	const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
	const response = await fetch(`${tracking.url}/api/2.0/mlflow${at}`, { method: "POST", headers, body: JSON.stringify(body) });
	return { status: response.status, json: await response.json() };
}

// The requests of mlflow 2.x for start_run() without arguments, log_param, log_metric, log_artifact and end_run.
const TRAIN = `
import json, os, sys, time, urllib.error, urllib.request
def call(method, path, body=None):
    data = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else None
    headers = {"Authorization": "Bearer " + os.environ["MLFLOW_TRACKING_TOKEN"], "Content-Type": "application/json"}
    request = urllib.request.Request(os.environ["MLFLOW_TRACKING_URI"] + "/api/2.0/" + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer: return answer.status, json.loads(answer.read() or b"{}")
    except urllib.error.HTTPError as error: return error.code, {}
now = int(time.time() * 1000)
_, made = call("POST", "mlflow/runs/create", {"experiment_id": "0", "user_id": "ada", "start_time": now, "tags": []})
info = made["run"]["info"]
run = {"run_id": info["run_id"], "run_uuid": info["run_id"]}
call("POST", "mlflow/runs/log-parameter", {**run, "key": "rate", "value": "0.1"})
for step in (1, 2): call("POST", "mlflow/runs/log-metric", {**run, "key": "loss", "value": 1 / step, "timestamp": now, "step": step})
call("PUT", "mlflow-artifacts/artifacts/" + info["artifact_uri"].split(":/")[1] + "/model.txt", b"weights")
print("ended", call("POST", "mlflow/runs/update", {**run, "status": "FINISHED", "end_time": now})[0])
print("token", os.environ["MLFLOW_TRACKING_TOKEN"])
`;

it("logs the metrics and artifacts of a job that sets nothing, and nothing after its end", async () => {
	const { jobId, attemptId, log } = await run(TRAIN);
	expect(log).toEqual(["ended 200", "token ***"]);
	expect((await get(`/jobs/${jobId}/metrics`)).items).toMatchObject([{ key: "loss", count: 2, last: { step: 2, value: 0.5 } }]);
	expect((await get(`/jobs/${jobId}/artifacts`)).items).toMatchObject([{ name: "mlflow/model.txt", bytes: 7 }]);
	const late = await call("/runs/create", { experiment_id: "0" }, tracking.tokenOf(attemptId));
	expect(late).toMatchObject({ status: 401, json: { error_code: "UNAUTHENTICATED" } });
});

it("hides other jobs and the rest of the API from a job's token", async () => {
	const [own, other] = [await world.submit(), await world.submit()];
	const attemptId = await world.start(own);
	const token = tracking.tokenOf(attemptId);
	const tags = [{ key: "spillway.job_id", value: other }];
	const made = await call("/runs/create", { experiment_id: "0", tags }, world.tokens.scientist);
	const { run_id, experiment_id } = made.json.run.info;
	const metric = { run_id, key: "loss", value: 1 };
	expect((await call("/runs/log-metric", metric, world.tokens.scientist)).status).toBe(200);
	expect(await call("/runs/log-metric", metric, token)).toMatchObject({ status: 404 });
	expect(await call("/runs/update", { run_id, status: "FAILED" }, token)).toMatchObject({ status: 404 });
	expect(await call("/runs/create", { experiment_id: "0", tags }, token)).toMatchObject({ status: 404 });
	expect(await call("/runs/search", { experiment_ids: [experiment_id] }, token)).toMatchObject({ status: 200, json: { runs: [] } });
	expect((await call("/runs/create", { experiment_id: "0" }, token)).json.run.info).toMatchObject({ experiment_id });
	expect((await call("/runs/create", { experiment_id: "0" }, `${token.slice(0, -1)}-`)).status).toBe(401);
	expect((await world.get("/jobs", { token })).status).toBe(401);
	await world.end(attemptId, { code: 0 });
});

it.each([
	["FINISHED", { code: 0 }],
	["FAILED", { code: 1 }],
	["KILLED", { stop: reason("spot_interruption") }],
] as const)("ends open runs as %s when their attempt ends so", async (status, how) => {
	const [own, other] = [await world.submit(), await world.submit()];
	const attemptId = await world.start(own);
	const token = tracking.tokenOf(attemptId);
	const started = async (as: string, tags: object[] = []) => {
		const { json } = await call("/runs/create", { experiment_id: "0", start_time: 1, tags }, as);
		return json.run.info.run_id as string;
	};
	const [open, ended] = [await started(token), await started(token)];
	const tagged = await started(world.tokens.scientist, [{ key: "spillway.job_id", value: other }]);
	await call("/runs/update", { run_id: ended, status: "FAILED", end_time: 5 }, token);
	await world.end(attemptId, how);
	const runs = await world.database.db.select().from(trackingRun);
	const endOf = (id: string) => runs.flatMap((run) => (run.id === id ? [run.status, run.endMs] : []));
	expect(endOf(open)).toEqual([status, expect.any(Number)]);
	expect(endOf(ended)).toEqual(["FAILED", 5]);
	expect(endOf(tagged)).toEqual(["RUNNING", null]);
});

it("leaves a job alone that names its own tracking server", async () => {
	const script = 'import os; print(sorted((k, v) for k, v in os.environ.items() if k.startswith("MLFLOW")))';
	const { log } = await run(script, { MLFLOW_TRACKING_URI: "https://mlflow.example" });
	expect(log).toEqual(["[('MLFLOW_TRACKING_URI', 'https://mlflow.example')]"]);
});
