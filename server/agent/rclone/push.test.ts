import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deleteData, type PushOptions, pushData, sizeOfData } from "./push.ts";

const RCLONE = "/usr/bin/rclone";
let folder: string;
let options: PushOptions;

beforeEach(async () => {
	folder = await mkdtemp(path.join(tmpdir(), "spillway-push-"));
	await mkdir(path.join(folder, "set", "deep"), { recursive: true });
	await writeFile(path.join(folder, "set", "rows"), "1\n2\n");
	await writeFile(path.join(folder, "set", "deep", "more"), "3\n");
	const remotes = { stage: { type: "alias", remote: path.join(folder, "store") } };
	options = { remotes, rclone: async () => RCLONE, signal: new AbortController().signal };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const uriOf = (name: string): string => pathToFileURL(path.join(folder, name)).href;
const stored = (name: string): Promise<string> => readFile(path.join(folder, "store", name), "utf8");

describe.skipIf(!existsSync(RCLONE))("pushData, by a real rclone (skipped where none is installed)", () => {
	it("makes a folder of a store match a folder of this host, repeatedly", async () => {
		expect(await pushData(uriOf("set"), "rclone://stage/abc", options)).toEqual({ bytes: 6 });
		expect([await stored("abc/rows"), await stored("abc/deep/more")]).toEqual(["1\n2\n", "3\n"]);
		expect(await sizeOfData("rclone://stage/abc", options)).toBe(6);
		await writeFile(path.join(folder, "set", "new"), "12345");
		await rm(path.join(folder, "set", "deep"), { recursive: true });
		expect(await pushData(uriOf("set"), "rclone://stage/abc", options)).toEqual({ bytes: 5 });
		expect((await readdir(path.join(folder, "store", "abc"), { recursive: true })).filter((name) => name !== "deep").sort()).toEqual([
			"new",
			"rows",
		]);
	});

	it("keeps files of the target that the source does not have, on request", async () => {
		await pushData(uriOf("set"), "rclone://stage/abc", options);
		await rm(path.join(folder, "set", "deep"), { recursive: true });
		await writeFile(path.join(folder, "set", "rows"), "changed");
		await pushData(uriOf("set"), "rclone://stage/abc", { ...options, deletesOthers: false });
		expect([await stored("abc/rows"), await stored("abc/deep/more")]).toEqual(["changed", "3\n"]);
	});

	it("copies one file as one file, also from a store", async () => {
		await pushData(uriOf("set/rows"), "rclone://stage/one", options);
		expect(await stored("one")).toBe("1\n2\n");
		await pushData("rclone://stage/one", "rclone://stage/two", options);
		expect(await stored("two")).toBe("1\n2\n");
	});

	it("reports missing data, and does not skip links silently", async () => {
		await expect(pushData(uriOf("gone"), "rclone://stage/abc", options)).rejects.toThrow(/it cannot be read: .*not found/);
		await symlink("/etc/hostname", path.join(folder, "set", "link"));
		await expect(pushData(uriOf("set"), "rclone://stage/abc", options)).rejects.toThrow(/link is a symbolic link; links are not copied/);
		await expect(pushData(uriOf("set"), "rclone://other/abc", options)).rejects.toThrow(/no data remote "other"/);
	});

	it("deletes what is at an address, and nothing next to it", async () => {
		await pushData(uriOf("set"), "rclone://stage/abc", options);
		await pushData(uriOf("set/rows"), "rclone://stage/one", options);
		await deleteData("rclone://stage/abc", options);
		await deleteData("rclone://stage/abc", options);
		expect(await readdir(path.join(folder, "store"))).toEqual(["one"]);
		await deleteData("rclone://stage/one", options);
		expect(await readdir(path.join(folder, "store"))).toEqual([]);
	});
});
