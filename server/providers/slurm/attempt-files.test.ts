import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseJobDocument } from "#server/domain/job-file.ts";
import { createFolder, readFacts, readRequest, type SlurmPaths, slurmPaths, writeFirstNote, writeFirstRequest } from "./attempt-files.ts";

const SPEC = parseJobDocument({
	apiVersion: "spillway/v1",
	kind: "Job",
	metadata: { name: "train", team: "research" },
	spec: { command: ["true"], resources: { gpus: 1 }, duration: { max: "1h" } },
});
const REQUEST = { attemptId: "att_a_001", jobId: "job_a", attemptNo: 1, spec: SPEC, poolId: "gpu", slots: [0], restoreFrom: null };

let root: string;
let paths: SlurmPaths;
beforeEach(async () => {
	root = await mkdtemp(path.join(tmpdir(), "spillway-attempt-files-"));
	paths = slurmPaths(root, "att_a_001");
	await createFolder(paths);
});
afterEach(() => rm(root, { recursive: true }));

const noted = async () => (await readFacts(paths, REQUEST)).note;

test("the result of a submission is recorded", async () => {
	expect(await noted()).toBeNull();
	await writeFirstNote(paths, { slurmJobId: 17, submittedAtMs: 1_000 });
	expect(await noted()).toEqual({ slurmJobId: 17, submittedAtMs: 1_000, startedAtMs: null, endedAtMs: null });
});

test("of two submissions of one attempt the later job number counts", async () => {
	await writeFirstNote(paths, { slurmJobId: 17, submittedAtMs: 1_000 });
	await writeFirstNote(paths, { slurmJobId: 18, submittedAtMs: 2_000 });
	expect(await noted()).toMatchObject({ slurmJobId: 18, submittedAtMs: 2_000 });
});

test("a note creates no folder if the attempt's no longer exists, as on a share that was unmounted", async () => {
	await rm(paths.folder, { recursive: true });
	await expect(writeFirstNote(paths, { slurmJobId: 17, submittedAtMs: 1_000 })).rejects.toThrow("ENOENT");
	expect(await readdir(root)).toEqual([]);
});

test("a request that a crash truncated counts as none", async () => {
	await writeFirstRequest(paths, REQUEST, 1_000);
	expect(await readRequest(paths)).toEqual(REQUEST);
	const text = await readFile(paths.request, "utf8");
	await writeFile(paths.request, text.slice(0, 100));
	expect(await readRequest(paths)).toBeNull();
});
