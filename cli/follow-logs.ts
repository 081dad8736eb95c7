import { stripVTControlCharacters } from "node:util";
import { followedLineSchema } from "#server/contract/outputs/job.ts";
import { readAs, UnreachableError } from "./client.ts";
import type { CommandContext } from "./command.ts";
import { styled } from "./render/style.ts";

const RETRY_MS = 1_000;
const UNREACHABLE_PATIENCE_MS = 60_000;

export interface FollowFrom {
	attempt?: number | undefined;
	tail?: number | undefined;
	/** Print terminal escapes unchanged. */
	raw?: boolean;
}

/**
 * Prints a job's log to its end, through every attempt; resumes when the connection breaks. With --json the lines are
 * the API's, unchanged.
 */
export async function followLogs(ctx: CommandContext, jobId: string, from: FollowFrom): Promise<void> {
	const { io } = ctx;
	const place: Place = { last: null, reachedMs: null };
	for (;;) {
		try {
			if (await printUntilBroken(ctx, jobId, from, place)) return;
			throw new UnreachableError("The server ended the log before the job had ended.");
		} catch (error) {
			const lost = error instanceof UnreachableError && place.reachedMs !== null;
			if (!lost || io.nowMs() - (place.reachedMs ?? 0) > UNREACHABLE_PATIENCE_MS) throw error;
			await io.sleep(RETRY_MS);
			io.signal.throwIfAborted();
		}
	}
}

interface Place {
	/** The last line printed. */
	last: { attempt: number; number: number } | null;
	reachedMs: number | null;
}

/** @returns true at the end of the log */
async function printUntilBroken(ctx: CommandContext, jobId: string, from: FollowFrom, place: Place): Promise<boolean> {
	const { io, json } = ctx;
	const { raw = false, ...start } = from;
	const query = place.last === null ? start : { attempt: place.last.attempt, after: place.last.number };
	for await (const text of ctx.client.lines(`/jobs/${jobId}/logs`, { follow: 1, ...query })) {
		place.reachedMs = io.nowMs();
		const line = readAs(followedLineSchema, { text, json: parsed(text) }, "log");
		if ("end" in line) {
			if (json) io.out(`${text}\n`);
			return true;
		}
		const { attempt, number } = line;
		const { last } = place;
		if (last && (attempt < last.attempt || (attempt === last.attempt && number <= last.number))) continue;
		if (!json && last && attempt !== last.attempt) io.err(`${styled(io, "dim", `— attempt ${attempt} —`)}\n`);
		place.last = { attempt, number };
		io.out(json ? `${text}\n` : `${logLine(ctx, line, raw)}\n`);
	}
	return false;
}

/**
 * A line for the terminal. Escape sequences and control characters are removed unless `raw`: a job must not be able to
 * retitle, clear or write to its reader's terminal. Spillway's own lines are marked.
 */
export function logLine({ io }: Pick<CommandContext, "io">, line: { stream: string; text: string }, raw = false): string {
	if (line.stream === "spillway") return styled(io, "dim", `[spillway] ${stripControls(line.text)}`);
	return raw ? line.text : stripControls(line.text);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
const CONTROLS = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: OSC, DCS and similar sequences with their text (ECMA-48 5.6)
const STRINGS = /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c|$)/g;

/** Tabs stay; bidirectional overrides, which reorder text, are removed too. */
export function stripControls(text: string): string {
	return stripVTControlCharacters(text.replace(STRINGS, "")).replace(CONTROLS, "");
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
