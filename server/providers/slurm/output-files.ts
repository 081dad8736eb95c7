import { constants } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import type { BroughtHome, OutputLine } from "../foreign-queue.ts";
import type { SlurmJob } from "./mapper.ts";
import { asOwner, type Writing } from "./owners-program.ts";

/** Where a job's two streams are written, with Slurm's patterns filled in (sbatch(1), "filename pattern"). null: nowhere. */
export function outputFilesOf(job: SlurmJob): { stdout: string | null; stderr: string | null } {
	const stdout = fileOf(job, job.stdoutPattern || (job.array ? "slurm-%A_%a.out" : "slurm-%j.out"));
	return { stdout, stderr: job.stderrPattern === "" ? stdout : fileOf(job, job.stderrPattern) };
}

function fileOf(job: SlurmJob, pattern: string): string | null {
	// A backslash anywhere disables patterns.
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
		// It ran on one machine outside the cluster.
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
 * The owner chooses the names, and their command printed the content. The files are therefore written as that user if possible,
 * otherwise only into a folder that the user owns, so that none of these names can change another user's file, including ours. A
 * file that accepts nothing is given up after a while.
 */
export async function writeOutputFiles(job: SlurmJob, lines: AsyncIterable<OutputLine>, writing: Writing = {}): Promise<BroughtHome> {
	const { stdout, stderr } = outputFilesOf(job);
	const names = [...new Set([stdout, stderr])].filter((file) => file !== null);
	const writers = new Map<string, OutputWriter>();
	const problems = new Map<string, string>();
	const attempt = async (file: string, work: () => Promise<unknown>): Promise<void> => {
		await work().catch((error: unknown) => problems.set(file, error instanceof Error ? error.message : String(error)));
	};
	for (const file of names) await attempt(file, async () => writers.set(file, await writerOf(file, job, writing)));
	for await (const { stream, text } of lines) {
		const file = stream === "stdout" ? stdout : stderr;
		const writer = file === null ? undefined : writers.get(file);
		if (file !== null && writer && !problems.has(file)) await attempt(file, () => writer.write(`${text}\n`));
	}
	for (const [file, writer] of writers) await attempt(file, () => writer.end());
	const messages = [...problems].map(([file, problem]) => `${file}: ${problem}`);
	return { files: names.filter((file) => !problems.has(file)), problem: messages.join("; ") || null };
}

interface OutputWriter {
	write(text: string): Promise<void>;
	/**
	 * Call after a failed write too.
	 * @throws Error with the reason why it could not be written
	 */
	end(): Promise<void>;
}

const ONLY_FILES = 'if [ -e "$1" ] && [ ! -f "$1" ]; then echo "is no regular file" >&2; exit 1; fi; exec cat >"$1"';

async function writerOf(file: string, job: SlurmJob, writing: Writing): Promise<OutputWriter> {
	return asOwner(job, { script: ONLY_FILES, argument: file }, writing) ?? openInFolderOf(job, file, writing);
}

/**
 * Used if we are neither root nor the owner: writes to a file of the owner, or a new one, in a folder of the owner. The folder is
 * held open, so that no link put in its place, or in the file's, leads elsewhere.
 */
async function openInFolderOf(
	owner: Pick<SlurmJob, "user" | "userId">,
	file: string,
	{ ourUid = process.getuid?.() ?? null }: Writing,
): Promise<OutputWriter> {
	const { O_DIRECTORY, O_RDONLY, O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
	const folder = await open(path.dirname(file), O_RDONLY | O_DIRECTORY);
	try {
		const become = `Spillway is not root and cannot write as ${owner.user}`;
		if ((await folder.stat()).uid !== owner.userId) throw new Error(`${become}, who does not own the folder`);
		const inFolder = `/proc/self/fd/${folder.fd}/${path.basename(file)}`;
		const handle = await open(inFolder, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o644);
		try {
			const found = await handle.stat();
			if (!found.isFile() || found.nlink !== 1 || (found.uid !== owner.userId && found.uid !== ourUid))
				throw new Error(`${become}, who does not exclusively own the file`);
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
