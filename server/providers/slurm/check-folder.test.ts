import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkFolder } from "./check-folder.ts";

let folder: string;
beforeAll(async () => {
	folder = await mkdtemp(path.join(tmpdir(), "spillway-shared-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("compares the user of jobs with Spillway's, and leaves no file", async () => {
	const { username, uid } = userInfo();
	expect(await checkFolder({ folder, user: username })).toBe(
		`${folder} is writable from this host, and jobs run as the same user id ${uid}.`,
	);
	expect(await checkFolder({ folder, user: "daemon" })).toEqual({ failed: expect.stringContaining(`but Spillway runs as user id ${uid}`) });
	expect(await checkFolder({ folder, user: "no-such-user" })).toEqual({ unknown: expect.stringContaining("was not compared") });
	expect(await readdir(folder)).toEqual([]);
});

it("reports a missing folder", async () => {
	expect(await checkFolder({ folder: `${folder}/none`, user: "x" })).toEqual({ failed: `${folder}/none is not a folder on this host.` });
});
