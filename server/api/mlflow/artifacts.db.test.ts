import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { isNull } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { RestWorld } from "#server/api/testing/rest-world.ts";
import { artifact } from "#server/db/schema/artifact.ts";
import { storageLimit, store } from "#server/db/schema/store.ts";
import { StoreError, type StorePort } from "#server/providers/store-port.ts";
import { sealStoreSecret } from "#server/services/capacity/store/box.ts";
import { deleteExpiredArtifacts } from "#server/services/work/artifact/delete.ts";
import { handleMlflow, type MlflowRuntime } from "./handler.ts";

let world: RestWorld;
let server: Server;
let base: string;
let rt: MlflowRuntime;
/** The embedded store's parent, new for each test. */
let home: string;
let jobId: string;
let attemptId: string;
let experimentId: string;
let runId: string;
/** Files in the team's store, by path; null while it cannot be reached. */
let inStore: Map<string, Buffer> | null;

function reachable(): Map<string, Buffer> {
	if (inStore === null) throw new StoreError("connection refused");
	return inStore;
}

const port: Partial<StorePort> = {
	upload: async (_, from, to) => {
		for (const file of from.paths) reachable().set(`${to}/${file}`, await readFile(path.join(from.folder, file)));
	},
	list: async (_, folder) => {
		const below = [...reachable()].filter(([file]) => file.startsWith(`${folder}/`));
		return new Map(below.map(([file, body]) => [file.slice(folder.length + 1), body.length]));
	},
	remove: async (_, folder) => {
		for (const file of reachable().keys()) if (file.startsWith(`${folder}/`)) reachable().delete(file);
	},
	read: (_, file) => Readable.from([reachable().get(file) ?? Buffer.alloc(0)]),
	signUrl: async () => "https://store.example/signed",
};

beforeAll(async () => {
	world = await RestWorld.open();
	server = createServer((req, res) => void handleMlflow(rt, req, res));
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/2.0`;
	rt = world.runtime as MlflowRuntime;
	experimentId = (await call("POST", "/mlflow/experiments/create", { json: { name: "fraud" } })).json.experiment_id;
});
afterAll(async () => {
	server.close();
	await world.close();
});
beforeEach(async () => {
	home = await mkdtemp(path.join(os.tmpdir(), "spillway-mlflow-"));
	rt = { ...world.runtime, env: { ...world.runtime.env, SPILLWAY_HOME: home }, storePort: port as StorePort };
	jobId = await world.submit();
	attemptId = await world.start(jobId);
	runId = await startRun([{ key: "spillway.job_id", value: jobId }]);
});
afterEach(async () => {
	const { db } = world.database;
	await world.end(attemptId, { code: 0 });
	await db.delete(storageLimit);
	await db.update(store).set({ isDefault: false });
	await db.update(artifact).set({ deletedAt: new Date() }).where(isNull(artifact.deletedAt));
	await rm(home, { recursive: true, force: true });
});

interface Reply {
	status: number;
	text: string;
	// biome-ignore lint/suspicious/noExplicitAny: answers of another product's API
	json: any;
}

async function call(
	method: string,
	at: string,
	{ json, body, as = "scientist" }: { json?: object; body?: string | Buffer; as?: "scientist" | "stranger" | "finance" } = {},
): Promise<Reply> {
	const sent = json ? JSON.stringify(json) : body && new Uint8Array(Buffer.from(body));
	const headers = { authorization: `Bearer ${world.tokens[as]}` };
	const response = await fetch(`${base}${at}`, { method, headers, redirect: "error", ...(sent !== undefined && { body: sent }) });
	const text = await response.text();
	return { status: response.status, text, json: response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : null };
}

async function startRun(tags: { key: string; value: string }[]): Promise<string> {
	const { json } = await call("POST", "/mlflow/runs/create", { json: { experiment_id: experimentId, run_name: "owl", tags } });
	expect(json.run.info.artifact_uri).toBe(`mlflow-artifacts:/${experimentId}/${json.run.info.run_id}/artifacts`);
	return json.run.info.run_id;
}

const at = (file: string, run = runId) => `/mlflow-artifacts/artifacts/${experimentId}/${run}/artifacts/${file}`;
const listAt = (folder = "") =>
	`/mlflow-artifacts/artifacts?${new URLSearchParams({ path: [experimentId, runId, "artifacts", folder].filter(Boolean).join("/") })}`;
const results = async () => (await world.get(`/jobs/${jobId}/artifacts`, { as: "scientist" })).json.items;
const onDisk = () => readdir(path.join(home, "artifacts")).catch(() => []);

async function useStore(): Promise<string> {
	const { db } = world.database;
	const id = `sto_${runId.slice(0, 10)}`;
	const sealedSecret = sealStoreSecret(world.runtime.env.SPILLWAY_SECRET, id, { user: "u", password: "p" });
	const config = { kind: "webdav", url: "https://dav.example", vendor: "other" } as const;
	await db.insert(store).values({ id, team: "research", name: id, config, sealedSecret, isDefault: true, createdAt: new Date() });
	inStore = new Map();
	return id;
}

// The requests of mlflow 2.x for log_artifact, log_artifacts, log_model, list_artifacts and download_artifacts: each file is one PUT, a
// listing returns paths relative to the folder, and folders are listed before their files are downloaded.
it("stores, lists and returns the files of a run as results of its job", async () => {
	const weights = Buffer.alloc(300_000, 7);
	expect(await call("PUT", at("notes.txt"), { body: "first" })).toMatchObject({ status: 200, json: {} });
	await call("PUT", at("model/MLmodel"), { body: "flavors: {}" });
	await call("PUT", at("model/data/weights%201.bin"), { body: weights });
	await call("PUT", at("empty"), { body: "" });
	expect((await call("POST", "/mlflow/runs/log-model", { json: { run_id: runId, model_json: '{"run_id":"x"}' } })).status).toBe(200);
	expect((await call("GET", listAt())).json.files).toEqual([
		{ path: "empty", is_dir: false, file_size: 0 },
		{ path: "model", is_dir: true },
		{ path: "notes.txt", is_dir: false, file_size: 5 },
	]);
	expect((await call("GET", listAt("model"))).json.files).toEqual([
		{ path: "MLmodel", is_dir: false, file_size: 11 },
		{ path: "data", is_dir: true },
	]);
	expect((await call("GET", listAt("notes.txt"))).json.files).toEqual([]);
	expect((await call("GET", `/mlflow/artifacts/list?run_id=${runId}&path=model/data`)).json).toEqual({
		root_uri: `mlflow-artifacts:/${experimentId}/${runId}/artifacts`,
		files: [{ path: "model/data/weights 1.bin", is_dir: false, file_size: weights.length }],
	});
	const loaded = await fetch(`${base}${at("model/data/weights%201.bin")}`, {
		headers: { authorization: `Bearer ${world.tokens.scientist}` },
	});
	expect(Buffer.compare(Buffer.from(await loaded.arrayBuffer()), weights)).toBe(0);
	const listed = await results();
	expect(listed.map(({ name }: { name: string }) => name).sort()).toEqual([
		"mlflow/empty",
		"mlflow/model/MLmodel",
		"mlflow/model/data/weights 1.bin",
		"mlflow/notes.txt",
	]);
	expect(listed[0]).toMatchObject({ runId, attemptId, kind: "file", storeId: null });
	const { json } = await call("GET", `/mlflow/runs/get?run_id=${runId}`);
	expect(json.run.data.tags).toContainEqual({ key: "mlflow.log-model.history", value: '[{"run_id":"x"}]' });
});

// The requests of mlflow 3.x for log_model within a run, and for loading models:/ID.
it("logs a model as a folder of its run's artifacts with a status", async () => {
	const models = "/mlflow/logged-models";
	const create = { experiment_id: experimentId, name: "fraud", source_run_id: runId, params: [{ key: "rate", value: "0.1" }] };
	const { json: made } = await call("POST", models, { json: create });
	const { model_id, artifact_uri } = made.model.info;
	expect(made.model.info).toMatchObject({
		name: "fraud",
		status: "LOGGED_MODEL_PENDING",
		source_run_id: runId,
		experiment_id: experimentId,
	});
	await call("POST", "/mlflow/runs/outputs", { json: { run_id: runId, models: [{ model_id, step: 3 }] } });
	const folder = artifact_uri.replace("mlflow-artifacts:", "/mlflow-artifacts/artifacts");
	expect((await call("PUT", `${folder}/MLmodel`, { body: "flavors: {}" })).status).toBe(200);
	const finalized = await call("PATCH", `${models}/${model_id}`, { json: { model_id, status: "LOGGED_MODEL_READY" } });
	expect(finalized.json.model.info.status).toBe("LOGGED_MODEL_READY");
	await call("PATCH", `${models}/${model_id}/tags`, { json: { tags: [{ key: "stage", value: "test" }] } });
	const { json: got } = await call("GET", `${models}/${model_id}`);
	expect(got.model).toMatchObject({
		info: { status: "LOGGED_MODEL_READY", artifact_uri, tags: [{ key: "stage", value: "test" }] },
		data: { params: [{ key: "rate", value: "0.1" }] },
	});
	const files = [{ path: "MLmodel", is_dir: false, file_size: 11 }];
	expect((await call("GET", `${models}/${model_id}/artifacts/directories`)).json).toEqual({ root_uri: artifact_uri, files });
	const { json: run } = await call("GET", `/mlflow/runs/get?run_id=${runId}`);
	expect(run.run.outputs).toEqual({ model_outputs: [{ model_id, step: 3 }] });
	// A second model of the name has its own folder, and a model belongs to its team.
	expect((await call("POST", models, { json: create })).json.model.info.artifact_uri).not.toBe(artifact_uri);
	for (const [method, json] of [
		["GET", undefined],
		["PATCH", { status: "LOGGED_MODEL_READY" }],
	] as const)
		expect((await call(method, `${models}/${model_id}`, { as: "stranger", ...(json && { json }) })).status, method).toBe(404);
	expect(await call("POST", models, { json: { experiment_id: experimentId, name: "fraud" } })).toMatchObject({
		status: 400,
		json: { message: expect.stringMatching(/needs a run.*start_run/) },
	});
	expect((await call("POST", models, { json: { ...create, name: "../x" } })).status).toBe(400);
	expect((await call("GET", `${models}/m-1`)).status).toBe(404);
});

it("replaces a file, and charges the old one up to then", async () => {
	await call("PUT", at("report.txt"), { body: "old" });
	await Promise.all(["one", "three"].map((body) => call("PUT", at("report.txt"), { body })));
	const listed: { createdAt: string; deletedAt: string | null; bytes: number }[] = await results();
	expect(listed.filter(({ deletedAt }) => deletedAt === null)).toHaveLength(1);
	const [newest, ...older] = listed.sort((a, b) => (b.deletedAt ?? "9").localeCompare(a.deletedAt ?? "9"));
	expect(newest?.createdAt).toBe(older[0]?.deletedAt);
	expect((await call("GET", at("report.txt"))).text).toHaveLength(newest?.bytes ?? -1);
	expect(await onDisk()).toHaveLength(1);
	expect((await call("DELETE", at("report.txt"))).status).toBe(200);
	expect((await call("GET", at("report.txt"))).status).toBe(404);
	expect(await onDisk()).toHaveLength(0);
});

it("deletes a folder with all its files", async () => {
	for (const file of ["a/1", "a/b/2", "ab"]) await call("PUT", at(file), { body: file });
	expect((await call("DELETE", at("a"))).status).toBe(200);
	expect((await call("GET", listAt())).json.files).toEqual([{ path: "ab", is_dir: false, file_size: 2 }]);
	expect((await call("DELETE", at("a"))).status).toBe(404);
});

it("is closed to other teams and to roles without results", async () => {
	await call("PUT", at("notes.txt"), { body: "secret" });
	for (const method of ["GET", "PUT", "DELETE"])
		expect((await call(method, at("notes.txt"), { as: "stranger", ...(method === "PUT" && { body: "x" }) })).status, method).toBe(404);
	expect((await call("GET", listAt(), { as: "stranger" })).status).toBe(404);
	expect((await call("GET", at("notes.txt"), { as: "finance" })).status).toBe(403);
	expect((await call("GET", listAt(), { as: "finance" })).status).toBe(403);
	expect((await call("PUT", at("notes.txt"), { as: "finance", body: "x" })).status).toBe(403);
	expect((await call("GET", at("notes.txt"))).text).toBe("secret");
});

it.each(["..%2f..%2fetc", "a%2f%2e%2e%2fb", "a%00b", "%2fetc%2fpasswd", "a//b", "x".repeat(256), `a/${"é".repeat(128)}`, "a%zz"])(
	"rejects the path %s",
	async (file) => {
		expect(await call("PUT", at(file), { body: "x" })).toMatchObject({ status: 400, json: { error_code: "INVALID_PARAMETER_VALUE" } });
		expect((await call("GET", at(file))).status).toBe(400);
		expect(await onDisk()).toHaveLength(0);
	},
);

it("explains why a run without a started job has no artifacts", async () => {
	const loose = await startRun([]);
	expect(await call("PUT", at("a", loose), { body: "x" })).toMatchObject({
		status: 409,
		json: { message: expect.stringMatching(/belongs to no job.*spillway\.job_id/) },
	});
	const queued = await startRun([{ key: "spillway.job_id", value: await world.submit() }]);
	expect(await call("PUT", at("a", queued), { body: "x" })).toMatchObject({
		status: 409,
		json: { message: expect.stringMatching(/has not started/) },
	});
	expect((await call("PUT", at("a", "unknown"), { body: "x" })).status).toBe(404);
});

it("applies the team's quota and retention", async () => {
	const { db } = world.database;
	await db.insert(storageLimit).values({ team: "research", quotaBytes: 10n, keepMs: 1_000 });
	await call("PUT", at("a"), { body: "12345678" });
	expect(await call("PUT", at("b"), { body: "123" })).toMatchObject({ status: 409, json: { message: expect.stringMatching(/quota/) } });
	// The replaced file frees its own space.
	expect((await call("PUT", at("a"), { body: "1234567890" })).status).toBe(200);
	const live = (await results()).find(({ deletedAt }: { deletedAt: string | null }) => deletedAt === null);
	expect(Date.parse(live.expiresAt) - Date.parse(live.createdAt)).toBe(1_000);
	await deleteExpiredArtifacts(db, { root: path.join(home, "artifacts"), stores: null }, Date.parse(live.expiresAt));
	expect((await call("GET", at("a"))).status).toBe(404);
	expect(await onDisk()).toHaveLength(0);
});

it("keeps the files in the team's store, and says when it cannot be reached", async () => {
	const id = await useStore();
	await call("PUT", at("model/MLmodel"), { body: "flavors: {}" });
	expect([...(inStore ?? [])].map(([file, body]) => [file.replace(/art_\w+/, "ID"), String(body)])).toEqual([
		["artifacts/ID/model/MLmodel", "flavors: {}"],
	]);
	expect((await results())[0]).toMatchObject({ storeId: id });
	// Without a redirect, because the client would send its token along.
	expect(await call("GET", at("model/MLmodel"))).toMatchObject({ status: 200, text: "flavors: {}" });
	inStore = null;
	expect(await call("PUT", at("late"), { body: "x" })).toMatchObject({
		status: 503,
		json: { error_code: "TEMPORARILY_UNAVAILABLE", message: expect.stringMatching(/cannot be reached.*spillway stores check/) },
	});
	expect(await results()).toHaveLength(1);
	expect(await onDisk()).toHaveLength(0);
});

it("stores nothing of an upload that broke off", async () => {
	const { port: at2 } = new URL(base);
	await mkdir(path.join(home, "artifacts"), { recursive: true });
	const req = request({ port: Number(at2), method: "PUT", path: `/api/2.0${at("big")}` });
	req.setHeader("authorization", `Bearer ${world.tokens.scientist}`);
	req.setHeader("content-length", 1_000_000);
	const closed = new Promise<void>((resolve) => req.once("error", () => resolve()));
	req.write(Buffer.alloc(100_000));
	await expect.poll(onDisk).toHaveLength(1);
	req.destroy(new Error("the client ends"));
	await closed;
	await expect.poll(onDisk).toHaveLength(0);
	expect(await results()).toHaveLength(0);
	expect(world.failures).toEqual([]);
});

it("makes clients fall back to plain uploads", async () => {
	const reply = await call("POST", `/mlflow-artifacts/mpu/create/${experimentId}/${runId}/artifacts`, {
		json: { path: "a", num_parts: 2 },
	});
	expect(reply).toMatchObject({ status: 501, json: { message: "Multipart upload is not supported for the current artifact repository" } });
});
