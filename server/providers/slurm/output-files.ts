import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
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

/** Writes as the job's user where we may become them, so that nothing is written that they could not write themselves. */
export async function writeOutputFiles(
	job: SlurmJob,
	lines: AsyncIterable<OutputLine>,
): Promise<{ files: string[]; problem: string | null }> {
	const { stdout, stderr } = outputFilesOf(job);
	const names = [...new Set([stdout, stderr])].filter((file) => file !== null);
	const writers = new Map(names.map((file) => [file, new UserFile(file, job)]));
	for await (const { stream, text } of lines) {
		const file = stream === "stdout" ? stdout : stderr;
		if (file !== null) await writers.get(file)?.write(`${text}\n`);
	}
	const problems: string[] = [];
	for (const [file, writer] of writers) {
		const problem = await writer.end();
		if (problem !== null) problems.push(`${file}: ${problem}`);
	}
	return { files: names.filter((file) => !problems.some((p) => p.startsWith(`${file}: `))), problem: problems.join("; ") || null };
}

class UserFile {
	readonly #child;
	readonly #over: Promise<number | null>;
	#said = "";

	constructor(file: string, { user, userId }: Pick<SlurmJob, "user" | "userId">) {
		const write = ["/bin/sh", "-c", 'exec cat >"$1"', "sh", file];
		const root = process.getuid?.() === 0 && userId !== null && userId !== 0;
		const [program = "", ...args] = root ? ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--init-groups", ...write] : write;
		this.#child = spawn(program, args, { env: { PATH: SYSTEM_FOLDERS, NODE_ENV: "production" }, stdio: ["pipe", "ignore", "pipe"] });
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
		if (this.#child.stdin.writable && !this.#child.stdin.write(text)) await Promise.race([once(this.#child.stdin, "drain"), this.#over]);
	}

	/** Null when it is written. */
	async end(): Promise<string | null> {
		this.#child.stdin.end();
		const code = await this.#over;
		return code === 0 ? null : this.#said.trim().split("\n").at(-1) || `cannot be written (exit ${code})`;
	}
}
