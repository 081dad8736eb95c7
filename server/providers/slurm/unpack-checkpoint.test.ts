import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { defined } from "#server/kernel/assert.ts";
import { hasCheckpoint, unpackCheckpoint } from "./unpack-checkpoint.ts";

const ME = defined(process.getuid?.(), "this process's user");

describe("a returned checkpoint", () => {
	let root = "";
	let from = "";
	let workFolder = "";
	beforeEach(() => {
		root = mkdtempSync(path.join(tmpdir(), "spillway-home-"));
		from = path.join(root, "kept");
		workFolder = path.join(root, "work");
		mkdirSync(path.join(from, "shards"), { recursive: true });
		mkdirSync(workFolder);
		writeFileSync(path.join(from, "step"), "40");
		writeFileSync(path.join(from, "shards", "0"), "weights".repeat(50_000));
	});
	afterEach(() => rmSync(root, { recursive: true, force: true }));

	const job = () => ({ user: "alice", userId: ME, workFolder });

	it("is in its owner's folder, once even if written twice, and other files there stay", async () => {
		const folder = path.join(workFolder, "out", "ckpt");
		mkdirSync(folder, { recursive: true });
		writeFileSync(path.join(folder, "step"), "10");
		writeFileSync(path.join(folder, "notes"), "mine");
		for (let n = 0; n < 2; n++)
			expect(await unpackCheckpoint(job(), { from, into: "out/ckpt" })).toEqual({ files: [folder], problem: null });
		expect(readFileSync(path.join(folder, "step"), "utf8")).toBe("40");
		expect(readFileSync(path.join(folder, "shards", "0"), "utf8")).toBe("weights".repeat(50_000));
		expect(readFileSync(path.join(folder, "notes"), "utf8")).toBe("mine");
	});

	it("replaces a link in a file's place, and does not write through it", async () => {
		const folder = path.join(workFolder, "ckpt");
		const elsewhere = path.join(root, "elsewhere");
		mkdirSync(folder);
		writeFileSync(elsewhere, "not theirs");
		symlinkSync(elsewhere, path.join(folder, "step"));
		expect((await unpackCheckpoint(job(), { from, into: "ckpt" })).problem).toBeNull();
		expect(readFileSync(elsewhere, "utf8")).toBe("not theirs");
	});

	it("is not installed if it cannot be read, and leaves nothing partial the next time", async () => {
		const gone = { from: path.join(root, "kept", "none"), into: "ckpt" };
		expect((await unpackCheckpoint(job(), gone)).files).toEqual([]);
		expect(readdirSync(path.join(workFolder, "ckpt"))).toEqual([".spillway-partial"]);
		expect((await unpackCheckpoint(job(), { from, into: "ckpt" })).problem).toBeNull();
		expect(readdirSync(path.join(workFolder, "ckpt")).sort()).toEqual(["shards", "step"]);
	});

	it("would not be all that its job has where its folder holds files, and is where that is empty or not there", async () => {
		mkdirSync(path.join(workFolder, "empty"));
		mkdirSync(path.join(workFolder, "full"));
		writeFileSync(path.join(workFolder, "full", ".step"), "900");
		const found = ["none", "empty", "full"].map((folder) => hasCheckpoint(job(), folder));
		expect(await Promise.all(found)).toEqual([false, false, true]);
		expect(await hasCheckpoint({ ...job(), userId: ME + 1 }, "full", { ourUid: ME + 2 })).toBe(false);
	});

	it.each([
		["a file in place of the folder", "taken", /taken: .*(exists|not a directory)/i],
		["no checkpoint to read", "ckpt", /ckpt: the checkpoint could not be read: .*kept/],
	])("reports what prevented its return: %s", async (_case, into, said) => {
		writeFileSync(path.join(workFolder, "taken"), "");
		if (into === "ckpt") rmSync(from, { recursive: true });
		expect(await unpackCheckpoint(job(), { from, into })).toEqual({ files: [], problem: expect.stringMatching(said) });
	});

	it("is not written as a user that Spillway cannot become", async () => {
		const other = { ...job(), userId: ME + 1 };
		expect((await unpackCheckpoint(other, { from, into: "ckpt" }, { ourUid: ME + 2 })).problem).toContain("cannot write as alice");
		expect((await unpackCheckpoint({ ...job(), userId: null }, { from, into: "ckpt" })).problem).toContain("does not report its owner");
	});
});
