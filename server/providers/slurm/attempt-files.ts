import fs, { readFileSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import type { JobSpec } from "#server/domain/job.ts";
import { type AttemptFolder, attemptFolder, isMissing, readIfThere, writeWhole } from "../local/attempt-folder.ts";
import { parseExit } from "../local/observe-attempt.ts";
import type { LaunchFiles } from "./launch-script.ts";
import type { AttemptFacts, JobNote } from "./observe-attempt.ts";

/**
 * Synchronous calls: those of `node:fs/promises` open a handle per call, which makes the file work of a submission a quarter
 * slower.
 */
const mkdir = promisify(fs.mkdir);
const writeFile = promisify(fs.writeFile);
const symlink = promisify(fs.symlink);
const readlink = promisify(fs.readlink);

/** The folder of an attempt: that of the local site, plus the Slurm files in its state folder. */
export interface SlurmPaths extends AttemptFolder {
	launch: LaunchFiles;
	/** The first note: a dangling link with the Slurm job's number and submission time as its target. */
	submitted: string;
	/** Later facts about the Slurm job: a JobNote. */
	job: string;
}

export function slurmPaths(root: string, attemptId: string): SlurmPaths {
	const paths = attemptFolder(root, attemptId);
	const inState = (name: string) => path.join(paths.state, name);
	return {
		...paths,
		launch: {
			claim: inState("claim"),
			run: inState("run"),
			slurmLog: path.join(paths.folder, "slurm.log"),
		},
		submitted: path.join(paths.folder, "submitted"),
		job: inState("job.json"),
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
});
export type StoredRequest = z.infer<typeof requestSchema>;

const noteSchema = z.object({
	slurmJobId: z.number().int(),
	submittedAtMs: z.number(),
	startedAtMs: z.number().nullable(),
	endedAtMs: z.number().nullable(),
}) satisfies z.ZodType<JobNote>;

const submittingSchema = z.object({ submittingAtMs: z.number().nullable() });

/**
 * Creates the folder of a new attempt. Returns whether it did not exist yet.
 * @throws if the site's folder does not exist. It is never created here, because below an empty mount point it would be a
 * different folder
 */
export async function createFolder(paths: SlurmPaths): Promise<boolean> {
	try {
		await mkdir(paths.folder, { mode: 0o700 });
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
		throw error;
	}
}

/** The state folder, for code that writes to it before the job on its node has created it. */
export async function createStateFolder(paths: SlurmPaths): Promise<void> {
	await mkdir(paths.state, { recursive: true, mode: 0o700 });
}

/**
 * Writes the first request of an attempt. One that a crash truncates counts as none: `start` has not returned then. The file is
 * closed before anything is submitted, so that a share stores it even if this host dies. `submittingAtMs`: when a submission was
 * about to be sent; its outcome is unknown until there is a note. null: none was.
 */
export function writeFirstRequest(paths: SlurmPaths, request: StoredRequest, submittingAtMs: number | null): Promise<void> {
	return writeFile(paths.request, lineOf(request, submittingAtMs), { mode: 0o600 });
}

export function rewriteRequest(paths: SlurmPaths, request: StoredRequest, submittingAtMs: number | null): Promise<void> {
	return writeWhole(paths.request, lineOf(request, submittingAtMs));
}

function lineOf(request: StoredRequest, submittingAtMs: number | null): string {
	return JSON.stringify({ ...request, submittingAtMs });
}

export async function readSubmittingAtMs(paths: SlurmPaths): Promise<number | null> {
	return parsed(submittingSchema, await readIfThere(paths.request))?.submittingAtMs ?? null;
}

/** null if there is none, or if a crash truncated it before `start` returned. */
export async function readRequest(paths: SlurmPaths): Promise<StoredRequest | null> {
	return parsed(requestSchema, await readIfThere(paths.request));
}

export function readRequestSync(paths: SlurmPaths): StoredRequest | null {
	try {
		return parsed(requestSchema, readFileSync(paths.request, "utf8"));
	} catch (error) {
		if (isMissing(error)) return null;
		throw error;
	}
}

/**
 * The first note of an attempt. A link takes one call instead of a file's three, and exists completely or not at all; a
 * submission writes little else. If there is one already, or the share has no links, a file is written.
 */
export async function writeFirstNote(
	paths: SlurmPaths,
	{ slurmJobId, submittedAtMs }: Pick<JobNote, "slurmJobId" | "submittedAtMs">,
): Promise<void> {
	try {
		await symlink(`${slurmJobId} ${submittedAtMs}`, paths.submitted);
	} catch (error) {
		if (isMissing(error)) throw error;
		await writeNote(paths, { slurmJobId, submittedAtMs, startedAtMs: null, endedAtMs: null });
	}
}

async function readFirstNote(paths: SlurmPaths): Promise<JobNote | null> {
	try {
		const [slurmJobId, submittedAtMs] = (await readlink(paths.submitted)).split(" ").map(Number);
		const note = noteSchema.safeParse({ slurmJobId, submittedAtMs, startedAtMs: null, endedAtMs: null });
		return note.success ? note.data : null;
	} catch (error) {
		if (isMissing(error)) return null;
		throw error;
	}
}

export async function writeNote(paths: SlurmPaths, note: JobNote): Promise<void> {
	await createStateFolder(paths);
	await writeWhole(paths.job, JSON.stringify(note));
}

/** Everything that the folder contains now. */
export async function readFacts(paths: SlurmPaths, request: StoredRequest): Promise<AttemptFacts> {
	const [exitText, exitAtMs, childAtMs, runText, noteText, stopText] = await Promise.all([
		readIfThere(paths.exit),
		changedAtMs(paths.exit),
		changedAtMs(paths.child),
		readIfThere(paths.launch.run),
		readIfThere(paths.job),
		readIfThere(paths.stop),
	]);
	const [ranIn, restarts] = (runText ?? "").trim().split(" ").map(Number);
	const stopByMs = Number(stopText?.split("\n")[1]);
	return {
		attemptId: request.attemptId,
		slots: request.slots,
		folder: paths.folder,
		note: parsed(noteSchema, noteText) ?? (await readFirstNote(paths)),
		run: ranIn ? { slurmJobId: ranIn, restarts: restarts ?? 0 } : null,
		childAtMs,
		exit: exitText?.trim() ? { atMs: exitAtMs ?? 0, exit: parseExit(exitText.trim()) } : null,
		stopByMs: stopText === null || Number.isNaN(stopByMs) ? null : stopByMs,
	};
}

export async function isThere(file: string): Promise<boolean> {
	return (await changedAtMs(file)) !== null;
}

export function removeFolder(paths: SlurmPaths): Promise<void> {
	return rm(paths.folder, { recursive: true, force: true });
}

async function changedAtMs(file: string): Promise<number | null> {
	try {
		return Math.floor((await stat(file)).mtimeMs);
	} catch (error) {
		if (isMissing(error)) return null;
		throw error;
	}
}

function parsed<T>(schema: z.ZodType<T>, text: string | null): T | null {
	if (text === null) return null;
	try {
		return schema.parse(JSON.parse(text));
	} catch {
		return null;
	}
}
