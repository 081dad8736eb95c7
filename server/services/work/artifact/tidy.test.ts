import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DAY_MS } from "#server/kernel/units.ts";
import { artifactPlace, openPlace } from "./store.ts";
import { deleteBrokenUploads } from "./tidy.ts";

let root: string;
beforeEach(async () => {
	root = await mkdtemp(path.join(os.tmpdir(), "spillway-artifacts-"));
});
afterEach(() => rm(root, { recursive: true }));

it("deletes what uploads left that were broken off a week ago, and nothing else", async () => {
	const nowMs = Date.now();
	for (const id of ["art_old", "art_new"]) {
		await openPlace(artifactPlace(root, id), []);
		await writeFile(path.join(artifactPlace(root, id).partial, "weights"), "half");
	}
	const week = new Date(nowMs - 8 * DAY_MS);
	await utimes(artifactPlace(root, "art_old").partial, week, week);
	await openPlace(artifactPlace(root, "art_whole"), []);
	await rm(artifactPlace(root, "art_whole").partial, { recursive: true });
	await deleteBrokenUploads(root, nowMs);
	expect((await readdir(root)).sort()).toEqual(["art_new.manifest.json", "art_new.partial", "art_whole.manifest.json"]);
	await deleteBrokenUploads(path.join(root, "missing"), nowMs);
});
