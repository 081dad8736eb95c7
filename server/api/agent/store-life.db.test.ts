import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CheckpointSync } from "#server/agent/checkpoint-sync.ts";
import { ControlClient } from "#server/agent/client.ts";
import { enrollAnswer } from "#server/agent/protocol.ts";
import { rcloneOfHost } from "#server/agent/rclone/find.ts";
import { fetchArtifact, restoreCheckpoint } from "#server/agent/restore-checkpoint.ts";
import { uploadOutputs } from "#server/agent/upload-outputs.ts";
import { team } from "#server/db/schema/account.ts";
import { checkpoint } from "#server/db/schema/checkpoint.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { artifactUri } from "#server/domain/output.ts";
import { ObjectStoreEmulator } from "#server/emulators/objects/emulator.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { RcloneStores } from "#server/providers/stores/rclone-stores.ts";
import { addStore } from "#server/services/capacity/store/add.ts";
import { setStorageLimits } from "#server/services/capacity/store/change.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { bootstrapSecretOf } from "#server/services/work/agent/bootstrap.ts";
import { aSpec, SECRET_KEY, seedInstance, seedJob } from "#server/services/work/agent/testing/seed.ts";
import { deleteArtifact } from "#server/services/work/artifact/delete.ts";
import { listArtifacts } from "#server/services/work/artifact/get.ts";
import { openArtifactFile } from "#server/services/work/artifact/open-file.ts";
import { fetchCheckpoint } from "#server/services/work/checkpoint/fetch-stored.ts";
import { serveFetch } from "../fetch-adapter.ts";
import { createAgentHandler } from "./handler.ts";

const KEYS = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "a-secret-of-the-store" };
const signal = new AbortController().signal;
let database: TestDatabase;
let folder: string;
let objects: ObjectStoreEmulator;
let server: Server;
/** Bytes of bodies that machines sent to the control plane. */
let throughControlPlane = 0;
const stores = { port: new RcloneStores(rcloneOfHost), secretKey: SECRET_KEY };
const logged: string[] = [];
const log = (text: string) => void logged.push(text);

beforeAll(async () => {
	database = await createTestDatabase();
	folder = await mkdtemp(path.join(tmpdir(), "spillway-store-life-"));
	objects = await ObjectStoreEmulator.start({ folder: path.join(folder, "objects"), buckets: ["models"], ...KEYS });
	await database.db.insert(team).values({ name: "research" });
	const config = { kind: "s3", bucket: "models", prefix: "research", provider: "Minio", endpoint: objects.url };
	await addStore({ ...platform(), stores }, { team: "research", name: "main", config, secret: KEYS, usdPerGiBMonth: 0.023 });
	const timing = { heartbeatMs: 50, stopGraceMs: 1_000, controlSilenceMs: 60_000, leaseMs: 0 };
	const roots = { checkpointRoot: path.join(folder, "checkpoints"), artifactRoot: path.join(folder, "artifacts") };
	const handler = createAgentHandler({
		db: database.db,
		clock: systemClock,
		secretKey: SECRET_KEY,
		...roots,
		stores,
		timing,
		agentFile: "/dev/null",
	});
	server = createServer((request, response) => {
		request.on("data", (chunk: Buffer) => {
			throughControlPlane += chunk.length;
		});
		void serveFetch(handler, request, response);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
	server.closeAllConnections();
	server.close();
	await objects.close();
	await database.drop();
	await rm(folder, { recursive: true, force: true });
});

function platform(): ServiceContext {
	const actor = { kind: "person" as const, accountId: "usr_p", name: "P", role: "platform" as const, teams: [], via: "token" as const };
	return { db: database.db, clock: systemClock, actor, requestId: "test" };
}

/** Machines of an attempt, enrolled, each with a folder. */
async function machines(jobId: string, number: number, nodes: number) {
	const found = [];
	for (let rank = 0; rank < nodes; rank++) {
		const place = { jobId, number, rank, expiresAtMs: Date.now() + 3_600_000, providerInstanceId: `i-${jobId}-${number}-${rank}` };
		const { instanceId } = await seedInstance(database.db, place);
		const client = new ControlClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, log });
		const secret = { bootstrapSecret: bootstrapSecretOf(SECRET_KEY, instanceId), nonce: randomBytes(16).toString("base64url") };
		const json = { instanceId, ...secret, providerInstanceId: place.providerInstanceId, privateAddress: `10.0.0.${rank + 1}` };
		const terms = await client.call({ method: "POST", path: "/enroll", json, answer: enrollAnswer, signal });
		client.token = terms.token;
		const home = path.join(folder, `${jobId}-${number}-${rank}`);
		await mkdir(home, { recursive: true });
		found.push({ rank, client, terms, home });
	}
	return found;
}

/** The provider takes the machines: the job waits for its next attempt. */
async function interrupt(all: Awaited<ReturnType<typeof machines>>): Promise<void> {
	const exit = { code: null, signal: "SIGTERM", error: null };
	for (const { client } of all) await client.report("/exited", { exit, atMs: Date.now(), stoppedBy: "signalled" }, signal);
}

const sharded = (nodes: number): Partial<JobSpec> => ({ nodes, checkpoint: { path: "/ckpt", intervalMs: 60_000, ranks: "all", keep: 2 } });

async function write(root: string, files: Record<string, string | Buffer>): Promise<void> {
	for (const [name, content] of Object.entries(files)) {
		await mkdir(path.dirname(path.join(root, name)), { recursive: true });
		await writeFile(path.join(root, name), content);
	}
}

const newSync = (machine: Awaited<ReturnType<typeof machines>>[number], allRanks: boolean) =>
	new CheckpointSync({ client: machine.client, folder: machine.home, restored: "[]", allRanks, rclone: rcloneOfHost, log });

describe("checkpoints in a team's store", () => {
	it("are complete when every rank has saved the step, and no byte of them passes through the control plane", async () => {
		const jobId = await seedJob(database.db, aSpec(sharded(2)));
		const [first, second] = await machines(jobId, 1, 2);
		if (!first || !second) throw new Error("two machines");
		const shards = [randomBytes(300_000), randomBytes(300_000)];
		await write(first.home, { "step-10/__0_0.distcp": shards[0] ?? "", "step-10/.metadata": "meta" });
		await write(second.home, { "step-10/__1_0.distcp": shards[1] ?? "" });
		const before = throughControlPlane;
		await newSync(first, true).upload(signal);
		expect(await database.db.select().from(checkpoint).where(eq(checkpoint.jobId, jobId))).toEqual([]);
		await newSync(second, true).upload(signal);
		expect(throughControlPlane - before).toBeLessThan(5_000);
		expect(await database.db.select().from(checkpoint).where(eq(checkpoint.jobId, jobId))).toMatchObject([
			{ step: 10, ranks: 2, files: 3 },
		]);

		await interrupt([first, second]);
		const [next] = await machines(jobId, 2, 2);
		if (!next?.terms.checkpoint) throw new Error("a checkpoint to begin from");
		const target = path.join(next.home, "restored");
		const options = { checkpoint: next.terms.checkpoint, folder: target, rclone: rcloneOfHost, signal, log };
		expect(await restoreCheckpoint(next.client, options)).toMatchObject({ step: 10 });
		expect(await readFile(path.join(target, "step-10/__1_0.distcp"))).toEqual(shards[1]);
		const home = await fetchCheckpoint(database.db, path.join(folder, "checkpoints"), stores, jobId);
		expect(await readFile(path.join(home?.folder ?? "", "step-10/__0_0.distcp"))).toEqual(shards[0]);
		const own = path.join(next.home, "own");
		await restoreCheckpoint(next.client, { ...options, folder: own, own: true, rank: 0 });
		expect((await readdir(path.join(own, "step-10"))).sort()).toEqual([".metadata", "__0_0.distcp"]);
	});

	it("send unchanged files once, and fall back to the last whole one when a shard is torn", async () => {
		const jobId = await seedJob(database.db, aSpec({ checkpoint: { path: "/ckpt", intervalMs: 60_000 } }));
		const [machine] = await machines(jobId, 1, 1);
		if (!machine) throw new Error("a machine");
		const sync = newSync(machine, false);
		await write(machine.home, { "frozen.bin": randomBytes(200_000), "state.bin": "one" });
		await sync.upload(signal);
		const sent = objects.counts.bytesIn;
		await write(machine.home, { "state.bin": "second" });
		const id = await sync.upload(signal);
		expect(objects.counts.bytesIn - sent).toBe("second".length);

		await interrupt([machine]);
		const [next] = await machines(jobId, 2, 1);
		if (!next?.terms.checkpoint) throw new Error("a checkpoint to begin from");
		const target = path.join(next.home, "restored");
		const options = { checkpoint: next.terms.checkpoint, folder: target, rclone: rcloneOfHost, signal, log };
		expect(await restoreCheckpoint(next.client, options)).toMatchObject({ id });
		expect([await readFile(path.join(target, "state.bin"), "utf8"), (await stat(path.join(target, "frozen.bin"))).size]).toEqual([
			"second",
			200_000,
		]);

		const torn = (await objects.files.list("models", "")).find((o) => o.key.includes(id ?? "") && o.key.endsWith("state.bin"));
		await objects.files.put("models", torn?.key ?? "", [Readable.from([Buffer.from("sec0nd")])], {});
		expect((await restoreCheckpoint(next.client, options))?.id).not.toBe(id);
		expect(await readFile(path.join(target, "state.bin"), "utf8")).toBe("one");
		expect(logged.some((line) => line.includes(`checkpoint ${id} is not whole (missing or changed: state.bin)`))).toBe(true);
		expect(
			await database.db
				.select({ problem: checkpoint.problem })
				.from(checkpoint)
				.where(eq(checkpoint.id, id ?? "")),
		).toEqual([{ problem: "missing or changed: state.bin" }]);
	});
});

describe("results in a team's store", () => {
	const outputs = [{ name: "model", path: "out", kind: "model" as const, when: "success" as const, keepMs: null }];
	const person = (teams: string[]): ServiceContext => ({
		...platform(),
		actor: { kind: "person", accountId: "usr_d", name: "D", role: "data_scientist", teams, via: "token" },
	});

	async function uploaded(content: Buffer) {
		const jobId = await seedJob(database.db, aSpec({ outputs }));
		const [machine] = await machines(jobId, 1, 1);
		if (!machine) throw new Error("a machine");
		await write(machine.home, { "out/a/weights.bin": content });
		const problem = await uploadOutputs({ client: machine.client, workFolder: machine.home, rclone: rcloneOfHost, signal, log }, outputs);
		return { jobId, machine, problem };
	}

	it("go there directly, are downloaded from there, and are data of other jobs", async () => {
		const content = randomBytes(500_000);
		const before = throughControlPlane;
		const { jobId, problem } = await uploaded(content);
		expect([problem, throughControlPlane - before < 5_000]).toEqual([null, true]);
		const [artifact] = await listArtifacts(person(["research"]), jobId);
		expect(artifact).toMatchObject({ name: "model", bytes: 500_000 });
		const id = artifact?.id ?? "";
		const files = { root: path.join(folder, "artifacts"), stores };
		const file = await openArtifactFile(person(["research"]), files, { id, path: "a/weights.bin" });
		const answer = await fetch(file.redirect ?? "");
		expect(
			createHash("sha256")
				.update(Buffer.from(await answer.arrayBuffer()))
				.digest("hex"),
		).toBe(file.sha256);
		await expect(openArtifactFile(person([]), files, { id, path: "a/weights.bin" })).rejects.toMatchObject({ code: "not_found" });

		const user = await seedJob(database.db, aSpec({ data: [{ uri: artifactUri(id), sizeGiB: null, mount: "/model", residency: [] }] }));
		const [reader] = await machines(user, 1, 1);
		if (!reader) throw new Error("a machine");
		await fetchArtifact(reader.client, { id, folder: path.join(reader.home, "model"), rclone: rcloneOfHost, signal, log });
		expect(await readFile(path.join(reader.home, "model/a/weights.bin"))).toEqual(content);

		await deleteArtifact(person(["research"]), files, id);
		expect((await objects.files.list("models", `research/artifacts/${id}`)).length).toBe(0);
	});

	it("are refused beyond the team's quota, with the reason", async () => {
		await setStorageLimits(platform(), { team: "research", quotaGiB: 0.0001, keepDays: 30 });
		expect((await uploaded(randomBytes(200_000))).problem).toMatch(/Team research keeps .* more do not fit/);
		await setStorageLimits(platform(), { team: "research", quotaGiB: null, keepDays: 30 });
		const { jobId, problem } = await uploaded(Buffer.from("small"));
		expect(problem).toBeNull();
		const [artifact] = await listArtifacts(person(["research"]), jobId);
		expect(Math.round((Date.parse(artifact?.expiresAt ?? "") - Date.now()) / 86_400_000)).toBe(30);
		await setStorageLimits(platform(), { team: "research", quotaGiB: null, keepDays: null });
	});
});
