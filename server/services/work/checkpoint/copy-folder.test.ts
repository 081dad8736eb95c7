import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { copyFolder, listFiles, mustBelongTo } from "./copy-folder.ts";

const FILES = 400;
let root = "";
let from = "";
beforeEach(() => {
	root = mkdtempSync(path.join(tmpdir(), "spillway-copy-"));
	from = mkdtempSync(path.join(root, "from-"));
	for (let i = 0; i < FILES; i++) writeFileSync(path.join(from, `shard-${String(i).padStart(3, "0")}`), "old");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/**
 * Like a job that writes its checkpoint: creates a new file next to the old one, renames it, and deletes old ones. Starts in the next tick.
 */
function rewriteMeanwhile(): void {
	setImmediate(() => {
		for (let i = 0; i < FILES; i++) {
			const file = path.join(from, `shard-${String(i).padStart(3, "0")}`);
			if (i % 2 === 0) rmSync(file);
			else {
				writeFileSync(`${file}.new`, "newer");
				renameSync(`${file}.new`, file);
			}
		}
	});
}

it("omits files that vanish between listing and reading them", async () => {
	rewriteMeanwhile();
	const seen = await listFiles(from);
	expect(seen.length).toBeGreaterThanOrEqual(FILES / 2);
	expect(await listFiles(from)).toHaveLength(FILES / 2);
});

it("copies the final state of a folder that its job rewrites during the copy, without deleted files", async () => {
	rewriteMeanwhile();
	const to = path.join(root, "to");
	const copied = await copyFolder(from, to);
	expect(copied).toHaveLength(FILES / 2);
	expect(readdirSync(to)).toHaveLength(FILES / 2);
	for (const { relative, bytes } of copied) {
		expect(bytes).toBe("newer".length);
		expect(readFileSync(path.join(to, relative), "utf8")).toBe("newer");
	}
});

it("does not treat the rest as empty when folders vanish during listing", async () => {
	const gone = Array.from({ length: 300 }, (_, i) => path.join(from, `step-${i}`));
	for (const folder of gone) mkdirSync(folder);
	setImmediate(() => {
		for (const folder of gone) rmdirSync(folder);
	});
	expect(await listFiles(from)).toHaveLength(FILES);
});

it("does not treat a non-folder as an empty folder", async () => {
	const file = path.join(from, "shard-000");
	await expect(listFiles(file)).rejects.toThrow(`could not list the folder ${file} (ENOTDIR`);
});

it.skipIf(process.getuid?.() === 0)("does not treat an unreadable folder as empty", async () => {
	mkdirSync(path.join(from, "closed"), { mode: 0o000 });
	await expect(listFiles(from)).rejects.toThrow("(EACCES");
});

it("creates no copy of an empty or absent folder", async () => {
	const to = path.join(root, "to");
	expect(await copyFolder(path.join(root, "absent"), to)).toEqual([]);
	expect(readdirSync(root)).not.toContain("to");
});

it("rejects a folder that its job replaced with a link to what it may not read", async () => {
	const [own, secret] = [path.join(root, "sites", "att_1"), path.join(root, "secret")];
	for (const folder of [path.join(own, "work", "ckpt"), secret]) mkdirSync(folder, { recursive: true });
	symlinkSync(secret, path.join(own, "work", "out"));
	symlinkSync(path.join(own, "work"), path.join(root, "elsewhere"));
	for (const folder of ["work/ckpt", "work/absent"]) await mustBelongTo("att_1", path.join(own, folder));
	await mustBelongTo("att_1", path.join(root, "elsewhere", "ckpt"));
	for (const folder of ["work/out", "work/ckpt/../out"])
		await expect(mustBelongTo("att_1", `${own}/${folder}`)).rejects.toThrow("through a symbolic link");
	mkdirSync(path.join(secret, "deep"));
	await expect(mustBelongTo("att_1", path.join(own, "work", "out", "deep"))).rejects.toThrow(secret);
});
