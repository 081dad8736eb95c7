import type { Exit } from "#server/domain/outcome.ts";
import type { JobRecord } from "./records.ts";

/** One run of a job's command, wherever it runs. */
export interface Command {
	startedAtMs: number;
	/** When and how it ends on its own. */
	endsAtMs: number;
	exit: Exit;
	/** Work from earlier attempts that need not be repeated, ms. */
	resumedMs: number;
	/** Between two checkpoints; null: it saves nothing. */
	checkpointMs: number | null;
}

/** Starts at the job's newest checkpoint and ends when its work ends, or when it fails. */
export function startCommand(row: JobRecord, startedAtMs: number): Command {
	const { work, spec } = row;
	const resumedMs = spec.checkpoint ? Math.min(row.completedMs, work.totalMs) : 0;
	const breaks = work.fails !== null && work.fails.afterMs < work.totalMs;
	const untilMs = breaks && work.fails ? Math.max(work.fails.afterMs, resumedMs) : work.totalMs;
	const exit: Exit =
		breaks && work.fails ? { code: work.fails.exitCode, signal: work.fails.signal, error: null } : { code: 0, signal: null, error: null };
	return {
		startedAtMs,
		endsAtMs: startedAtMs + Math.max(1, untilMs - resumedMs),
		exit,
		resumedMs,
		checkpointMs: spec.checkpoint?.intervalMs ?? null,
	};
}

/**
 * Work that survives if the command ends now, ms: all of it if the command was asked to end and saved, else the newest
 * checkpoint; nothing without checkpoints.
 */
export function savedAt(command: Command, atMs: number, wasAsked: boolean): number {
	if (command.checkpointMs === null) return 0;
	const ranMs = Math.max(0, Math.min(atMs, command.endsAtMs) - command.startedAtMs);
	return command.resumedMs + (wasAsked ? ranMs : Math.floor(ranMs / command.checkpointMs) * command.checkpointMs);
}
