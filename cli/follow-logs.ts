import { readAs, UnreachableError } from "./client.ts";
import type { CommandContext } from "./command.ts";
import { styled } from "./render/style.ts";
import { followedShape } from "./shapes/job.ts";

const RETRY_MS = 1_000;
const UNREACHABLE_PATIENCE_MS = 60_000;

export interface FollowFrom {
	attempt?: number | undefined;
	tail?: number | undefined;
}

/**
 * Prints a job's log to its end, through every attempt; goes on where it was when the connection breaks.
 * With --json the lines are the API's, as they are.
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
	/** The last line that was printed. */
	last: { attempt: number; number: number } | null;
	reachedMs: number | null;
}

/** @returns true at the log's end. */
async function printUntilBroken(ctx: CommandContext, jobId: string, from: FollowFrom, place: Place): Promise<boolean> {
	const { io, json } = ctx;
	const query = place.last === null ? { ...from } : { attempt: place.last.attempt, after: place.last.number };
	for await (const text of ctx.client.lines(`/jobs/${jobId}/logs`, { follow: 1, ...query })) {
		place.reachedMs = io.nowMs();
		const line = readAs(followedShape, { text, json: parsed(text) }, "log");
		if ("end" in line) {
			if (json) io.out(`${text}\n`);
			return true;
		}
		const { attempt, number } = line;
		const { last } = place;
		if (last && (attempt < last.attempt || (attempt === last.attempt && number <= last.number))) continue;
		if (!json && last && attempt !== last.attempt) io.err(`${styled(io, "dim", `— attempt ${attempt} —`)}\n`);
		place.last = { attempt, number };
		io.out(json ? `${text}\n` : `${logLine(ctx, line)}\n`);
	}
	return false;
}

/** A command's line as it wrote it; Spillway's own lines are told apart. */
export function logLine({ io }: Pick<CommandContext, "io">, line: { stream: string; text: string }): string {
	return line.stream === "spillway" ? styled(io, "dim", `[spillway] ${line.text}`) : line.text;
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
