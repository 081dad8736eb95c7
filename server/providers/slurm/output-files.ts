import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import type { OutputLine } from "../foreign-queue.ts";
import type { SlurmJob } from "./mapper.ts";
import { SYSTEM_FOLDERS } from "./scontrol.ts";

/** Where a job's two streams go, with Slurm's patterns filled in (sbatch(1), "filename pattern"). Null: nowhere. */
export function outputFilesOf(job: SlurmJob): { stdout: string | null; stderr: string | null } {
	const stdout = fileOf(job, job.stdoutPattern || (job.array ? "slurm-%A_%a.out" : "slurm-%j.out"));
	return { stdout, stderr: job.stderrPattern === "" ? stdout : fileOf(job, job.stderrPattern) };
}

function fileOf(job: SlurmJob, pattern: string): string | null {
	// A backslash anywhere means: no patterns.
	const name = pattern.includes("\\")
		? pattern.replaceAll("\\", "")
		: pattern.replace(/%(\d*)([a-zA-Z%])/g, (whole, width, letter) => {
				const value = patternValue(job, letter);
				if (value === null) return whole;
				return /^\d+$/.test(value) ? value.padStart(Math.min(10, Number(width) || 0), "0") : value;
			});
	const file = path.resolve(job.workFolder || "/", name);
	return file === "/dev/null" ? null : file;
}

function patternValue(job: SlurmJob, letter: string): string | null {
	switch (letter) {
		case "%":
			return "%";
		case "A":
			return String(job.array?.id ?? job.id);
		case "a":
			return job.array?.task ?? "4294967294";
		case "j":
		case "J":
			return String(job.id);
		case "x":
			return job.name;
		case "u":
			return job.user;
		// It ran on one machine that is none of the cluster's.
		case "N":
			return "spillway";
		case "n":
		case "t":
			return "0";
		case "s":
			return "batch";
		default:
			return null;
	}
}

/**
 * The names are their owner's choice, and what is written is what their command printed. So it is written as that user where we may
 * become them, and else only into a folder that is theirs: by no name of theirs is a file of anybody else's changed, ours included.
 * A file that takes nothing is given up after a while. `ourUid` is for tests.
 */
export async function writeOutputFiles(
	job: SlurmJob,
	lines: AsyncIterable<OutputLine>,
	{ ourUid = process.getuid?.() ?? null, stallMs = STALL_MS }: { ourUid?: number | null; stallMs?: number } = {},
): Promise<{ files: string[]; problem: string | null }> {
	const { stdout, stderr } = outputFilesOf(job);
	const names = [...new Set([stdout, stderr])].filter((file) => file !== null);
	const writers = new Map<string, OutputWriter>();
	const problems = new Map<string, string>();
	const attempt = async (file: string, work: () => Promise<unknown>): Promise<void> => {
		await work().catch((error: unknown) => problems.set(file, error instanceof Error ? error.message : String(error)));
	};
	for (const file of names) await attempt(file, async () => writers.set(file, await writerOf(file, job, { ourUid, stallMs })));
	for await (const { stream, text } of lines) {
		const file = stream === "stdout" ? stdout : stderr;
		const writer = file === null ? undefined : writers.get(file);
		if (file !== null && writer && !problems.has(file)) await attempt(file, () => writer.write(`${text}\n`));
	}
	for (const [file, writer] of writers) await attempt(file, () => writer.end());
	const told = [...problems].map(([file, problem]) => `${file}: ${problem}`);
	return { files: names.filter((file) => !problems.has(file)), problem: told.join("; ") || null };
}

/** A pipe that nobody reads, or a file system that does not answer, would hold up everybody's jobs. */
const STALL_MS = 10_000;

interface OutputWriter {
	write(text: string): Promise<void>;
	/** To be called after a failed write too. @throws Error with what kept it from being written */
	end(): Promise<void>;
}

async function writerOf(
	file: string,
	{ user, userId }: SlurmJob,
	{ ourUid, stallMs }: { ourUid: number | null; stallMs: number },
): Promise<OutputWriter> {
	if (userId === null || ourUid === null) throw new Error("the cluster does not tell whose it is, so nothing is written");
	if (userId === ourUid) return new ChildWriter(AS_WE_ARE, file, stallMs);
	return ourUid === 0 ? new ChildWriter([...AS_USER, String(userId)], file, stallMs) : openInFolderOf({ user, userId }, file, ourUid);
}

const ONLY_FILES = 'if [ -e "$1" ] && [ ! -f "$1" ]; then echo "is no regular file" >&2; exit 1; fi; exec cat >"$1"';
const AS_WE_ARE = ["/bin/sh", "-c", ONLY_FILES, "sh"];
/** With the groups that the user has on this host; who has no account here is refused by setpriv. */
const BECOME = 'exec setpriv --reuid="$1" --regid="$(id -g "$1")" --init-groups /bin/sh -c "$0" sh "$2"';
const AS_USER = ["/bin/sh", "-c", BECOME, ONLY_FILES];

/** A program of its own for each file, which may be another user's. */
class ChildWriter implements OutputWriter {
	readonly #child;
	readonly #over: Promise<number | null>;
	readonly #stallMs: number;
	#said = "";
	#givenUp: Error | null = null;

	constructor([program = "", ...args]: readonly string[], file: string, stallMs: number) {
		this.#stallMs = stallMs;
		this.#child = spawn(program, [...args, file], {
			env: { PATH: SYSTEM_FOLDERS, NODE_ENV: "production" },
			stdio: ["pipe", "ignore", "pipe"],
		});
		this.#child.stderr.on("data", (chunk: Buffer) => {
			this.#said = `${this.#said}${chunk.toString("utf8")}`.slice(0, 500);
		});
		this.#child.stdin.on("error", () => {});
		this.#over = new Promise((resolve) => {
			this.#child.once("error", (error) => {
				this.#said ||= error.message;
				resolve(null);
			});
			this.#child.once("close", resolve);
		});
	}

	async write(text: string): Promise<void> {
		if (this.#child.stdin.writable && !this.#child.stdin.write(text))
			await this.#soon(Promise.race([once(this.#child.stdin, "drain"), this.#over]));
	}

	async end(): Promise<void> {
		if (this.#givenUp) throw this.#givenUp;
		this.#child.stdin.end();
		const code = await this.#soon(this.#over);
		if (code !== 0) throw new Error(this.#said.trim().split("\n").at(-1) || `cannot be written (exit ${code})`);
	}

	async #soon<T>(done: Promise<T>): Promise<T> {
		const over = new AbortController();
		const late = setTimeout(this.#stallMs, "late" as const, { signal: over.signal }).catch(() => "late" as const);
		const first = await Promise.race([done, late]);
		over.abort();
		if (first !== "late") return first;
		// One that hangs in the kernel ends with what it waits for.
		this.#child.kill("SIGKILL");
		this.#child.stdin.destroy();
		this.#givenUp = new Error(`took nothing for ${this.#stallMs / 1_000} s, and is given up`);
		throw this.#givenUp;
	}
}

/**
 * Where we are neither root nor the owner: a file of the owner's, or a new one, in a folder of the owner's. The folder is held open,
 * so that no link that is put in its place, or in the file's, leads elsewhere.
 */
async function openInFolderOf(owner: { user: string; userId: number }, file: string, ourUid: number): Promise<OutputWriter> {
	const { O_DIRECTORY, O_RDONLY, O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
	const folder = await open(path.dirname(file), O_RDONLY | O_DIRECTORY);
	try {
		const become = `Spillway is not root, and cannot write as ${owner.user}`;
		if ((await folder.stat()).uid !== owner.userId) throw new Error(`${become}, to whom the folder does not belong`);
		const inFolder = `/proc/self/fd/${folder.fd}/${path.basename(file)}`;
		const handle = await open(inFolder, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o644);
		try {
			const found = await handle.stat();
			if (!found.isFile() || found.nlink !== 1 || (found.uid !== owner.userId && found.uid !== ourUid))
				throw new Error(`${become}, to whom the file does not belong alone`);
			await handle.truncate();
		} catch (error) {
			await handle.close();
			throw error;
		}
		return { write: async (text) => void (await handle.appendFile(text)), end: () => handle.close() };
	} finally {
		await folder.close();
	}
}
