import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CheckpointSync } from "#server/agent/checkpoint-sync.ts";
import { rcloneOfHost } from "#server/agent/rclone/find.ts";
import { fetchArtifact, restoreCheckpoint } from "#server/agent/restore-checkpoint.ts";
import { uploadOutputs } from "#server/agent/upload-outputs.ts";
import { checkpoint } from "#server/db/schema/checkpoint.ts";
import { job } from "#server/db/schema/job.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { artifactUri } from "#server/domain/output.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { setStorageLimits } from "#server/services/capacity/store/change.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { aSpec, seedJob } from "#server/services/work/agent/testing/seed.ts";
import { deleteArtifact } from "#server/services/work/artifact/delete.ts";
import { listArtifacts } from "#server/services/work/artifact/get.ts";
import { openArtifactFile } from "#server/services/work/artifact/open-file.ts";
import { fetchCheckpoint } from "#server/services/work/checkpoint/fetch.ts";
import { tidyStoredCheckpoints } from "#server/services/work/checkpoint/tidy-store.ts";
import { interrupt, type Machine, StoreWorld } from "./store-world.ts";

const signal = new AbortController().signal;
let database: TestDatabase;
let folder: string;
let world: StoreWorld;
const logged: string[] = [];
const log = (text: string) => void logged.push(text);

beforeAll(async () => {
	database = await createTestDatabase();
	folder = await mkdtemp(path.join(tmpdir(), "spillway-store-life-"));
	world = await StoreWorld.start(database.db, folder);
});
afterAll(async () => {
	await world.close();
	await database.drop();
	await rm(folder, { recursive: true, force: true });
});

const sharded = (nodes: number): Partial<JobSpec> => ({ nodes, checkpoint: { path: "/ckpt", intervalMs: 60_000, ranks: "all", keep: 2 } });

async function write(root: string, files: Record<string, string | Buffer>): Promise<void> {
	for (const [name, content] of Object.entries(files)) {
		await mkdir(path.dirname(path.join(root, name)), { recursive: true });
		await writeFile(path.join(root, name), content);
	}
}

const newSync = (machine: Machine, allRanks: boolean) =>
	new CheckpointSync({ client: machine.client, folder: machine.home, restored: "[]", allRanks, rclone: rcloneOfHost, log });

describe("checkpoints in a team's store", () => {
	it("are complete when every rank has saved the step, without passing any bytes through the control plane", async () => {
		const jobId = await seedJob(database.db, aSpec(sharded(2)));
		const [first, second] = await world.machines(jobId, 1, 2, log);
		if (!first || !second) throw new Error("two machines");
		const shards = [randomBytes(300_000), randomBytes(300_000)];
		await write(first.home, { "step-10/__0_0.distcp": shards[0] ?? "", "step-10/.metadata": "meta" });
		await write(second.home, { "step-10/__1_0.distcp": shards[1] ?? "" });
		await newSync(first, true).upload(signal);
		expect(await database.db.select().from(checkpoint).where(eq(checkpoint.jobId, jobId))).toEqual([]);
		await newSync(second, true).upload(signal);
		expect(world.passed.files).toBe(0);
		expect(await database.db.select().from(checkpoint).where(eq(checkpoint.jobId, jobId))).toMatchObject([
			{ step: 10, ranks: 2, files: 3 },
		]);

		await interrupt([first, second]);
		const [next] = await world.machines(jobId, 2, 2, log);
		if (!next?.terms.checkpoint) throw new Error("a checkpoint to begin from");
		const target = path.join(next.home, "restored");
		const options = { checkpoint: next.terms.checkpoint, folder: target, rclone: rcloneOfHost, signal, log };
		expect(await restoreCheckpoint(next.client, options)).toMatchObject({ step: 10 });
		expect(await readFile(path.join(target, "step-10/__1_0.distcp"))).toEqual(shards[1]);
		const home = await fetchCheckpoint(database.db, path.join(folder, "checkpoints"), world.stores, jobId);
		expect(await readFile(path.join(home?.folder ?? "", "step-10/__0_0.distcp"))).toEqual(shards[0]);
		const own = path.join(next.home, "own");
		await restoreCheckpoint(next.client, { ...options, folder: own, own: true, rank: 0 });
		expect((await readdir(path.join(own, "step-10"))).sort()).toEqual([".metadata", "__0_0.distcp"]);
	});

	it("upload unchanged files once, and fall back to the last complete checkpoint when a shard is incomplete", async () => {
		const jobId = await seedJob(database.db, aSpec({ checkpoint: { path: "/ckpt", intervalMs: 60_000 } }));
		const [machine] = await world.machines(jobId, 1, 1, log);
		if (!machine) throw new Error("a machine");
		const sync = newSync(machine, false);
		await write(machine.home, { "frozen.bin": randomBytes(200_000), "state.bin": "one" });
		await sync.upload(signal);
		const sent = world.objects.counts.bytesIn;
		await write(machine.home, { "state.bin": "second" });
		const id = await sync.upload(signal);
		expect(world.objects.counts.bytesIn - sent).toBe("second".length);

		await interrupt([machine]);
		const [next] = await world.machines(jobId, 2, 1, log);
		if (!next?.terms.checkpoint) throw new Error("a checkpoint to begin from");
		const target = path.join(next.home, "restored");
		const options = { checkpoint: next.terms.checkpoint, folder: target, rclone: rcloneOfHost, signal, log };
		expect(await restoreCheckpoint(next.client, options)).toMatchObject({ id });
		expect([await readFile(path.join(target, "state.bin"), "utf8"), (await stat(path.join(target, "frozen.bin"))).size]).toEqual([
			"second",
			200_000,
		]);

		const torn = (await world.objects.files.list("models", "")).find((o) => o.key.includes(id ?? "") && o.key.endsWith("state.bin"));
		await world.objects.files.put("models", torn?.key ?? "", [Readable.from([Buffer.from("sec0nd")])], {});
		expect((await restoreCheckpoint(next.client, options))?.id).not.toBe(id);
		expect(await readFile(path.join(target, "state.bin"), "utf8")).toBe("one");
		expect(logged.some((line) => line.includes(`checkpoint ${id} is incomplete (missing or changed: state.bin)`))).toBe(true);
		expect(
			await database.db
				.select({ problem: checkpoint.problem })
				.from(checkpoint)
				.where(eq(checkpoint.id, id ?? "")),
		).toEqual([{ problem: "missing or changed: state.bin" }]);
	});
});

describe("files of old checkpoints in a team's store", () => {
	it("are deleted when no kept checkpoint refers to them, and all a week after the job's end", async () => {
		const jobId = await seedJob(database.db, aSpec({ checkpoint: { path: "/ckpt", intervalMs: 60_000, keep: 1 } }));
		const [machine] = await world.machines(jobId, 1, 1, log);
		if (!machine) throw new Error("a machine");
		const sync = newSync(machine, false);
		const save = async (files: Record<string, string>) => {
			await write(machine.home, files);
			return await sync.upload(signal);
		};
		const ids = [await save({ frozen: "f", state: "1" }), await save({ state: "2" }), await save({ state: "3" })];
		const keys = async () =>
			(await world.objects.files.list("models", "")).filter(({ key }) => key.includes(jobId)).map(({ key }) => key.split("/").slice(-3));
		const tidy = (laterMs: number) => tidyStoredCheckpoints(database.db, world.stores, Date.now() + laterMs);
		const saved = await keys();
		await tidy(0);
		expect(await keys()).toEqual(saved);
		await tidy(2 * HOUR_MS);
		expect((await keys()).sort()).toEqual([ids[0], ids[0], ids[2]].map((id, i) => [id, "0", ["frozen", "state", "state"][i]]).sort());
		await interrupt([machine]);
		const [next] = await world.machines(jobId, 2, 1, log);
		if (!next?.terms.checkpoint) throw new Error("a checkpoint to begin from");
		const target = path.join(next.home, "restored");
		await restoreCheckpoint(next.client, { checkpoint: next.terms.checkpoint, folder: target, rclone: rcloneOfHost, signal, log });
		expect([await readFile(path.join(target, "frozen"), "utf8"), await readFile(path.join(target, "state"), "utf8")]).toEqual(["f", "3"]);
		await database.db.update(job).set({ state: "cancelled", finishedAt: new Date() }).where(eq(job.id, jobId));
		await tidy(6 * DAY_MS);
		expect(await keys()).toHaveLength(3);
		await tidy(8 * DAY_MS);
		expect(await keys()).toEqual([]);
	});
});

describe("results in a team's store", () => {
	const outputs = [{ name: "model", path: "out", kind: "model" as const, when: "success" as const, keepMs: null }];
	const person = (teams: string[]): ServiceContext => ({
		...world.platform(),
		actor: { kind: "person", accountId: "usr_d", name: "D", role: "data_scientist", teams, via: "token" },
	});

	async function uploaded(content: Buffer) {
		const jobId = await seedJob(database.db, aSpec({ outputs }));
		const [machine] = await world.machines(jobId, 1, 1, log);
		if (!machine) throw new Error("a machine");
		await write(machine.home, { "out/a/weights.bin": content });
		const problem = await uploadOutputs({ client: machine.client, workFolder: machine.home, rclone: rcloneOfHost, signal, log }, outputs);
		return { jobId, machine, problem };
	}

	it("are uploaded and downloaded directly, and serve as input data of other jobs", async () => {
		const content = randomBytes(500_000);
		const { jobId, problem } = await uploaded(content);
		expect([problem, world.passed.files]).toEqual([null, 0]);
		const [artifact] = await listArtifacts(person(["research"]), jobId);
		expect(artifact).toMatchObject({ name: "model", bytes: 500_000 });
		const id = artifact?.id ?? "";
		const files = { root: path.join(folder, "artifacts"), stores: world.stores };
		const file = await openArtifactFile(person(["research"]), files, { id, path: "a/weights.bin" });
		const answer = await fetch(file.redirect ?? "");
		expect(
			createHash("sha256")
				.update(Buffer.from(await answer.arrayBuffer()))
				.digest("hex"),
		).toBe(file.sha256);
		await expect(openArtifactFile(person([]), files, { id, path: "a/weights.bin" })).rejects.toMatchObject({ code: "not_found" });

		const user = await seedJob(database.db, aSpec({ data: [{ uri: artifactUri(id), sizeGiB: null, mount: "/model", residency: [] }] }));
		const [reader] = await world.machines(user, 1, 1, log);
		if (!reader) throw new Error("a machine");
		await fetchArtifact(reader.client, { id, folder: path.join(reader.home, "model"), rclone: rcloneOfHost, signal, log });
		expect(await readFile(path.join(reader.home, "model/a/weights.bin"))).toEqual(content);

		await deleteArtifact(person(["research"]), files, id);
		expect((await world.objects.files.list("models", `research/artifacts/${id}`)).length).toBe(0);
	});

	it("are rejected beyond the team's quota, with the reason", async () => {
		await setStorageLimits(world.platform(), { team: "research", quotaGiB: 0.0001, keepDays: 30 });
		expect((await uploaded(randomBytes(200_000))).problem).toMatch(/Team research keeps .* more do not fit/);
		await setStorageLimits(world.platform(), { team: "research", quotaGiB: null, keepDays: 30 });
		const { jobId, problem } = await uploaded(Buffer.from("small"));
		expect(problem).toBeNull();
		const [artifact] = await listArtifacts(person(["research"]), jobId);
		expect(Math.round((Date.parse(artifact?.expiresAt ?? "") - Date.now()) / 86_400_000)).toBe(30);
		await setStorageLimits(world.platform(), { team: "research", quotaGiB: null, keepDays: null });
	});
});
