import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { eq, sum } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listOutput } from "#server/agent/output-files.ts";
import { artifact, artifactFile } from "#server/db/schema/artifact.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { storageLimit } from "#server/db/schema/store.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import type { Exit } from "#server/domain/outcome.ts";
import type { OutputSpec } from "#server/domain/output.ts";
import type { ClusterDriver } from "#server/providers/driver.ts";
import { aSpec, seedInstance, seedJob } from "#server/services/work/agent/testing/seed.ts";
import { keepOutputs, type OutputCopies } from "./keep-outputs.ts";

const DONE: Exit = { code: 0, signal: null, error: null };
const MODEL: OutputSpec = { name: "model", path: "/models/fraud", kind: "model", when: "success", keepMs: null };
const LOG: OutputSpec = { name: "log", path: "train.log", kind: "file", when: "always", keepMs: null };

let database: TestDatabase;
let folder: string;
let number = 0;

beforeAll(async () => {
	database = await createTestDatabase();
	folder = await mkdtemp(path.join(os.tmpdir(), "spillway-outputs-"));
});
afterAll(async () => {
	await database.drop();
	await rm(folder, { recursive: true, force: true });
});

async function ended(outputs: OutputSpec[], files: Record<string, string>) {
	const work = path.join(folder, `work-${++number}`);
	for (const [name, body] of Object.entries(files)) {
		await mkdir(path.dirname(path.join(work, name)), { recursive: true });
		await writeFile(path.join(work, name), body);
	}
	await mkdir(work, { recursive: true });
	const spec = aSpec({ outputs });
	const jobId = await seedJob(database.db, spec);
	const { attemptId } = await seedInstance(database.db, { jobId, number: 1, expiresAtMs: Date.now() + 1e6, providerInstanceId: null });
	const [row] = await database.db.select().from(attempt).where(eq(attempt.id, attemptId));
	if (!row) throw new Error("no attempt");
	return { work, row: { id: attemptId, jobId, number: 1, team: spec.team, spec } };
}

/** Calls again when the copy has ended, as the site's task does. */
async function keep(
	run: Awaited<ReturnType<typeof ended>>,
	exit: Exit | null,
	{ wasStopped = false, hasFolder = true } = {},
): Promise<Exit | null> {
	const list = async (_: string, at: string) => (hasFolder ? listOutput(run.work, at) : null);
	const driver = { siteId: "home", listOutput: list } as Partial<ClusterDriver> as ClusterDriver;
	const copies: OutputCopies = new Map();
	const ctx = { db: database.db, artifactRoot: path.join(folder, "store"), log: () => {} } as unknown as Parameters<typeof keepOutputs>[0];
	let kept: ReturnType<typeof keepOutputs> = null;
	await new Promise<void>((resolve) => {
		kept = keepOutputs(ctx, driver, copies, { row: run.row, exit, wasStopped, atMs: Date.now(), wake: resolve });
		if (kept !== null) resolve();
	});
	kept ??= keepOutputs(ctx, driver, copies, { row: run.row, exit, wasStopped, atMs: Date.now(), wake: () => {} });
	if (kept === null) throw new Error("the copy woke the site before it was over");
	return (kept as { exit: Exit | null }).exit;
}

async function stored(jobId: string): Promise<string[]> {
	const rows = await database.db
		.select({ name: artifact.name, path: artifactFile.path })
		.from(artifact)
		.innerJoin(artifactFile, eq(artifactFile.artifactId, artifact.id))
		.where(eq(artifact.jobId, jobId));
	return rows.map((row) => `${row.name}: ${row.path}`).sort();
}

describe("outputs of an attempt on an owned site", () => {
	it("are copied into the store before the end is recorded", async () => {
		const run = await ended([MODEL, LOG], { "models/fraud/a.bin": "a", "models/fraud/deep/b.bin": "b", "train.log": "ok" });
		expect(await keep(run, DONE)).toEqual(DONE);
		expect(await stored(run.row.jobId)).toEqual(["log: train.log", "model: a.bin", "model: deep/b.bin"]);
		// As after a crash: recorded outputs are not copied again.
		expect(await keep(run, DONE)).toEqual(DONE);
	});

	it("fail a successful command if one is missing, and keep the others", async () => {
		const run = await ended([MODEL, LOG], { "train.log": "ok" });
		expect(await keep(run, DONE)).toEqual({ ...DONE, outputProblem: "output model: no files at /models/fraud" });
		expect(await stored(run.row.jobId)).toEqual(["log: train.log"]);
	});

	it("are kept after a failure or a stop only when the job requests it", async () => {
		const failed = { ...DONE, code: 1 };
		const files = { "models/fraud/a.bin": "a", "train.log": "half" };
		const first = await ended([MODEL, LOG], files);
		expect(await keep(first, failed)).toEqual(failed);
		expect(await stored(first.row.jobId)).toEqual(["log: train.log"]);
		const second = await ended([MODEL], files);
		expect(await keep(second, DONE, { wasStopped: true })).toEqual(DONE);
		expect(await stored(second.row.jobId)).toEqual([]);
	});

	it("fail for a file name containing a line break, and keep the others", async () => {
		const run = await ended([MODEL, LOG], { "models/fraud/a\n../b": "a", "train.log": "ok" });
		expect((await keep(run, DONE))?.outputProblem).toBe('output model: the path "a\\n../b" must not contain control characters');
		expect(await stored(run.row.jobId)).toEqual(["log: train.log"]);
	});

	it("count against the team's quota, also concurrently", async () => {
		const files = { "models/fraud/a.bin": "1234567890" };
		const runs = [await ended([MODEL], files), await ended([MODEL], files)];
		const [used] = await database.db.select({ bytes: sum(artifact.bytes) }).from(artifact);
		await database.db.insert(storageLimit).values({ team: "research", quotaBytes: BigInt(used?.bytes ?? 0) + 15n, keepMs: null });
		const exits = await Promise.all(runs.map((run) => keep(run, DONE)));
		expect(exits.map((exit) => exit?.outputProblem ?? "kept").sort()).toEqual([
			"kept",
			expect.stringMatching(/Team research keeps .* more do not fit/),
		]);
		expect((await Promise.all(runs.map(({ row }) => stored(row.jobId)))).flat()).toEqual(["model: a.bin"]);
		await database.db.delete(storageLimit);
	});

	it("never follow a link out of the work folder", async () => {
		const run = await ended([LOG], {});
		await writeFile(path.join(folder, "secret"), "key");
		await symlink(path.join(folder, "secret"), path.join(run.work, "train.log"));
		expect((await keep(run, DONE))?.outputProblem).toMatch(/leads out of|no files/);
		const inside = await ended([{ ...LOG, path: "out/secret" }], {});
		await symlink(folder, path.join(inside.work, "out"));
		expect((await keep(inside, DONE))?.outputProblem).toMatch(/leads out of the job's work folder/);
		expect(await stored(inside.row.jobId)).toEqual([]);
	});

	it("fail on a site without a folder on this host", async () => {
		const run = await ended([MODEL], {});
		const exit = await keep(run, DONE, { hasFolder: false });
		expect(exit?.outputProblem).toBe('home has no folder that Spillway can read; set "volume" of the site');
	});
});
