import { stat } from "node:fs/promises";
import { constants } from "node:os";
import { z } from "zod";
import { exitOfStatus } from "#server/agent/exit-status.ts";
import type { AttemptObservation } from "../driver.ts";
import { type AttemptFolder, isMissing, readIfThere, type StoredRequest, writeWhole } from "./attempt-folder.ts";
import { isAlive, type ProcessIdentity, parsePidFile } from "./process-identity.ts";

type Exit = NonNullable<AttemptObservation["exit"]>;

/** The progress of an attempt according to its folder. */
export type AttemptStage =
	/** The command has no process yet, or the process has not reported its identity. */
	| { kind: "before"; handedOverAtMs: number | null; stopAsked: boolean }
	| { kind: "alive"; supervisor: ProcessIdentity; startedAtMs: number | null; stopAsked: boolean }
	| { kind: "exited"; startedAtMs: number | null; finishedAtMs: number; exit: Exit }
	/** Its supervisor died without a report: the host was restarted, or someone killed it. */
	| { kind: "lost"; startedAtMs: number | null; group: number | null };

const failureSchema = z.object({ error: z.string(), failedAt: z.enum(["staging", "start"]) });

/**
 * A supervisor creates this file and fills it immediately; a file that stays empty was left by a supervisor killed in between.
 */
const PID_FILE_INCOMPLETE_MS = 2_000;

export async function readStage(paths: AttemptFolder): Promise<AttemptStage> {
	const startedAtMs = await startedAtMsOf(paths);
	const over = await readExit(paths, startedAtMs);
	if (over) return over;
	const pidText = await readIfThere(paths.pid);
	const stopAsked = (await changedAtMs(paths.stop)) !== null;
	const supervisor = pidText === null ? null : parsePidFile(pidText);
	if (supervisor === null) {
		const madeAtMs = pidText === null ? null : await changedAtMs(paths.pid);
		const cutShort = madeAtMs !== null && Date.now() - madeAtMs > PID_FILE_INCOMPLETE_MS;
		return cutShort
			? { kind: "lost", startedAtMs, group: null }
			: { kind: "before", handedOverAtMs: await changedAtMs(paths.handed), stopAsked };
	}
	if (await isAlive(supervisor)) return { kind: "alive", supervisor, startedAtMs: await startedAtMsOf(paths), stopAsked };
	// It writes the end before it exits, so an end that is missing now will never appear.
	const child = Number(await readIfThere(paths.child));
	const group = Number.isInteger(child) && child > 1 ? child : null;
	return (await readExit(paths, await startedAtMsOf(paths))) ?? { kind: "lost", startedAtMs, group };
}

/** Ends an attempt that never ran. */
export function writeFailure(paths: AttemptFolder, failure: z.infer<typeof failureSchema>): Promise<void> {
	return writeWhole(paths.exit, JSON.stringify(failure));
}

const SIGTERM_STATUS = 128 + constants.signals.SIGTERM;

/** Ends an attempt that was stopped before it ran. */
export function writeStoppedBefore(paths: AttemptFolder): Promise<void> {
	return writeWhole(paths.exit, String(SIGTERM_STATUS));
}

async function readExit(paths: AttemptFolder, startedAtMs: number | null): Promise<Extract<AttemptStage, { kind: "exited" }> | null> {
	const text = (await readIfThere(paths.exit))?.trim();
	if (!text) return null;
	const finishedAtMs = (await changedAtMs(paths.exit)) ?? 0;
	return { kind: "exited", startedAtMs, finishedAtMs: Math.max(finishedAtMs, startedAtMs ?? 0), exit: parseExit(text) };
}

/** An exit status as written by its supervisor, or why there is none. */
export function parseExit(text: string): Exit {
	if (/^\d{1,3}$/.test(text)) return exitOfStatus(Number(text));
	return { code: null, signal: null, ...failureSchema.parse(JSON.parse(text)) };
}

export function observationOf(request: StoredRequest, stage: AttemptStage, treeGone: boolean): AttemptObservation {
	const common = { attemptId: request.attemptId, slots: request.slots, clusterWait: null, finishedAtMs: null, exit: null };
	switch (stage.kind) {
		case "before":
			return { ...common, phase: stage.stopAsked ? "stopping" : "staging", startedAtMs: null };
		case "alive": {
			const phase = stage.stopAsked ? "stopping" : stage.startedAtMs === null ? "staging" : "running";
			return { ...common, phase, startedAtMs: stage.startedAtMs };
		}
		case "exited": {
			const { startedAtMs, finishedAtMs, exit } = stage;
			return treeGone ? { ...common, phase: "exited", startedAtMs, finishedAtMs, exit } : { ...common, phase: "stopping", startedAtMs };
		}
		case "lost":
			return { ...common, phase: treeGone ? "lost" : "stopping", startedAtMs: stage.startedAtMs };
	}
}

/**
 * The supervisor creates the file `child` and then fills it, which is its last change. An empty file contains no information yet.
 */
function startedAtMsOf({ child }: AttemptFolder): Promise<number | null> {
	return changedAtMs(child, { filled: true });
}

async function changedAtMs(file: string, { filled } = { filled: false }): Promise<number | null> {
	try {
		const { mtimeMs, size } = await stat(file);
		return filled && size === 0 ? null : Math.floor(mtimeMs);
	} catch (error) {
		if (isMissing(error)) return null;
		throw error;
	}
}
