import { readFileSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type { JobSpec } from "#server/domain/job.ts";
import { identitySchema } from "./process-identity.ts";

/**
 * Everything that the site knows about an attempt is stored in its folder, so that a scheduler can be killed at any moment and
 * its successor has the same information. Files of the state folder: see run-job.sh.
 */
export interface AttemptFolder {
	folder: string;
	request: string;
	work: string;
	/** Checkpoints of a job without its own checkpoint path. */
	checkpoints: string;
	tmp: string;
	/** Secret files, and the secret variables. */
	secrets: string;
	secretEnvironment: string;
	/** The environment of a command that runs as another user. */
	environment: string;
	stdout: string;
	stderr: string;
	state: string;
	pid: string;
	child: string;
	stop: string;
	exit: string;
	/** Created before the command's process. From then on the work folder belongs to the job. */
	handed: string;
}

/** The folder of the site's attempts in SPILLWAY_HOME. */
export function attemptsFolder(home: string): string {
	return path.resolve(home, "sites", "local");
}

export function attemptFolder(root: string, attemptId: string): AttemptFolder {
	const folder = path.join(root, attemptId);
	const state = path.join(folder, "state");
	return {
		folder,
		request: path.join(folder, "request.json"),
		work: path.join(folder, "work"),
		checkpoints: path.join(folder, "checkpoints"),
		tmp: path.join(folder, "tmp"),
		secrets: path.join(folder, "secrets"),
		secretEnvironment: path.join(folder, "secret-environment"),
		environment: path.join(folder, "environment"),
		stdout: path.join(folder, "stdout.log"),
		stderr: path.join(folder, "stderr.log"),
		state,
		pid: path.join(state, "pid"),
		child: path.join(state, "child"),
		stop: path.join(state, "stop"),
		exit: path.join(state, "exit"),
		handed: path.join(state, "handed-over"),
	};
}

const requestSchema = z.object({
	attemptId: z.string(),
	jobId: z.string(),
	attemptNo: z.number().int(),
	/** Written by this driver from a validated job, and read back unchanged. */
	spec: z.custom<JobSpec>((value) => typeof value === "object" && value !== null && "command" in value),
	poolId: z.string(),
	slots: z.array(z.number().int()),
	restoreFrom: z.string().nullable(),
	/** The process that stages its data. If it no longer exists, another one starts again. */
	stager: identitySchema,
});
export type StoredRequest = z.infer<typeof requestSchema>;

export async function writeRequest(paths: AttemptFolder, request: StoredRequest): Promise<void> {
	await mkdir(paths.state, { recursive: true, mode: 0o700 });
	await writeWhole(paths.request, JSON.stringify(request));
}

/** null if there is none, or if a crash truncated it before `start` returned. */
export async function readRequest(paths: AttemptFolder): Promise<StoredRequest | null> {
	return parseRequest(await readIfThere(paths.request));
}

export function readRequestSync(paths: AttemptFolder): StoredRequest | null {
	try {
		return parseRequest(readFileSync(paths.request, "utf8"));
	} catch (error) {
		if (isMissing(error)) return null;
		throw error;
	}
}

function parseRequest(text: string | null): StoredRequest | null {
	if (text === null) return null;
	try {
		return requestSchema.parse(JSON.parse(text));
	} catch {
		return null;
	}
}

/** Replaces the file atomically: a reader sees the complete new text or the old file. */
export async function writeWhole(file: string, text: string): Promise<void> {
	const fresh = `${file}.${process.pid}.new`;
	await writeFile(fresh, text, { mode: 0o600 });
	await rename(fresh, file);
}

export async function readIfThere(file: string): Promise<string | null> {
	try {
		return await readFile(file, "utf8");
	} catch (error) {
		if (isMissing(error)) return null;
		throw error;
	}
}

export function isMissing(error: unknown): boolean {
	const code = (error as NodeJS.ErrnoException | null)?.code;
	return code === "ENOENT" || code === "ENOTDIR";
}
