import { execFileSync } from "node:child_process";
import { readdirSync, readlinkSync } from "node:fs";
import { link, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "#server/emulators/shared/testing/eventually.ts";
import type { OutputLine } from "../foreign-queue.ts";
import { outputFilesOf, writeOutputFiles } from "./output-files.ts";
import { aSlurmJob } from "./testing/a-slurm-job.ts";

const ME = process.getuid?.() ?? 0;
/** Neither root nor the job's owner. */
const SOMEBODY_ELSE = ME + 1;

let folder: string;
beforeEach(async () => {
	folder = await mkdtemp(path.join(tmpdir(), "spillway-output-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function* lines(...texts: string[]): AsyncGenerator<OutputLine> {
	for (const text of texts) yield { stream: "stdout", text };
}

/** Output of a job of this user, in their folder. */
function write(file: string, options: Parameters<typeof writeOutputFiles>[2], changes: Parameters<typeof aSlurmJob>[0] = {}) {
	const job = aSlurmJob({ userId: ME, workFolder: folder, stdoutPattern: file, ...changes });
	return writeOutputFiles(job, lines("ssh-ed25519 AAAA"), options);
}

describe.each([
	["as ourselves", ME],
	["as a user that cannot become the owner", SOMEBODY_ELSE],
])("written %s", (_who, ourUid) => {
	it("is there, and only once if it is written again", async () => {
		const file = path.join(folder, "out.txt");
		await writeFile(file, "older and longer than what comes");
		for (let n = 0; n < 2; n++) expect(await write("out.txt", { ourUid })).toEqual({ files: [file], problem: null });
		expect(await readFile(file, "utf8")).toBe("ssh-ed25519 AAAA\n");
	});

	it("does not wait for a reader of a pipe", async () => {
		execFileSync("mkfifo", [path.join(folder, "pipe")]);
		const { files, problem } = await write("pipe", { ourUid });
		expect(files).toEqual([]);
		expect(problem).toMatch(/no regular file|ENXIO/);
	});

	it("reports a missing folder", async () => {
		expect((await write("none/out.txt", { ourUid })).problem).toMatch(/none\/out.txt: .*(nonexistent|ENOENT|no such)/i);
	});
});

describe("as a process that cannot become the owner", () => {
	const ours = () => path.join(folder, "authorized_keys");
	beforeEach(() => writeFile(ours(), "ours"));

	it("follows no link of the owner's to one of our files", async () => {
		await symlink(ours(), path.join(folder, "link"));
		expect((await write("link", { ourUid: SOMEBODY_ELSE })).problem).toContain("ELOOP");
		await link(ours(), path.join(folder, "hard"));
		expect((await write("hard", { ourUid: SOMEBODY_ELSE })).problem).toContain("does not exclusively own");
		expect(await readFile(ours(), "utf8")).toBe("ours");
	});

	it("writes only into the owner's folders, and only for users that the cluster names", async () => {
		const job = { userId: ME + 2 };
		expect((await write(ours(), { ourUid: SOMEBODY_ELSE }, job)).problem).toContain("who does not own the folder");
		for (const ourUid of [0, SOMEBODY_ELSE])
			expect((await write(ours(), { ourUid }, { userId: null })).problem).toContain("does not report its owner");
		expect(await readFile(ours(), "utf8")).toBe("ours");
	});
});

/** The process that writes to the file, as the kernel shows it. */
async function writerOf(file: string): Promise<number> {
	return eventually("the writer", () =>
		readdirSync("/proc")
			.map(Number)
			.find((pid) => {
				try {
					return readlinkSync(`/proc/${pid}/fd/1`) === file;
				} catch {
					return false;
				}
			}),
	);
}

it("gives up on a file that accepts nothing", async () => {
	const job = aSlurmJob({ userId: ME, workFolder: folder, stdoutPattern: "out.txt" });
	async function* many(): AsyncGenerator<OutputLine> {
		yield { stream: "stdout", text: "the first" };
		// A suspended writer behaves like one on a file system that does not respond.
		process.kill(await writerOf(path.join(folder, "out.txt")), "SIGSTOP");
		for (let n = 0; n < 100; n++) yield { stream: "stdout", text: "x".repeat(10_000) };
	}
	expect((await writeOutputFiles(job, many(), { ourUid: ME, stallMs: 50 })).problem).toMatch(/accepted no data for 0.05 s/);
});

it("fills in Slurm's patterns, and writes nothing to /dev/null", () => {
	const names = (stdoutPattern: string, stderrPattern = "") => outputFilesOf(aSlurmJob({ stdoutPattern, stderrPattern }));
	expect(names("%x-%5j.out")).toEqual({ stdout: "/home/alice/train-00007.out", stderr: "/home/alice/train-00007.out" });
	expect(names("/dev/null", "../%u.err")).toEqual({ stdout: null, stderr: "/home/alice.err" });
	expect(names("%%j\\%j").stdout).toBe("/home/alice/%%j%j");
});
