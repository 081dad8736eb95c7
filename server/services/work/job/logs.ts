import { and, desc, eq } from "drizzle-orm";
import type { z } from "zod";
import { readLogsInput } from "#server/contract/inputs/job.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { isFinal, JOB_TRANSITIONS } from "#server/domain/states.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { type OnUnreadable, readLines } from "../log/read.ts";
import type { LogStore } from "../log/store.ts";
import { readableJob } from "../readable-job.ts";

export type ReadLogsInput = z.input<typeof readLogsInput>;

export interface LogPage {
	attempt: number | null;
	/** Number of attempts. */
	attempts: number;
	lines: { number: number; at: string; stream: "stdout" | "stderr" | "spillway"; text: string }[];
	/** Lines stored so far. */
	total: number;
	/** True when this attempt can produce no more lines. */
	complete: boolean;
	/** True when there can be no further attempt. */
	jobEnded: boolean;
}

/** Log lines of one attempt, in order. */
export async function readLogs(ctx: ServiceContext & { logs: LogStore }, jobId: string, raw: ReadLogsInput): Promise<LogPage> {
	const input = readLogsInput.parse(raw);
	const row = await readableJob(ctx, jobId);
	const jobEnded = isFinal(JOB_TRANSITIONS, row.state);
	const [chosen] = await ctx.db
		.select({ id: attempt.id, number: attempt.number, logLines: attempt.logLines, finishedAt: attempt.finishedAt })
		.from(attempt)
		.where(and(eq(attempt.jobId, jobId), input.attempt === undefined ? undefined : eq(attempt.number, input.attempt)))
		.orderBy(desc(attempt.number))
		.limit(1);
	if (!chosen) {
		if (input.attempt !== undefined) throw new SpillwayError("not_found", `Job ${jobId} has no attempt ${input.attempt}.`);
		return { attempt: null, attempts: 0, lines: [], total: 0, complete: jobEnded, jobEnded };
	}
	const after = input.tail !== undefined && input.after === 0 ? Math.max(0, chosen.logLines - input.tail) : input.after;
	const lines = await readLines(ctx, chosen.id, { after, limit: input.limit, onUnreadable });
	const lastRead = lines.at(-1)?.number ?? after;
	return {
		attempt: chosen.number,
		attempts: row.attempts,
		lines: lines.map((l) => ({ ...l, at: l.at.toISOString() })),
		total: chosen.logLines,
		// Retention may have deleted the rest.
		complete: chosen.finishedAt !== null && (lines.length === 0 || lastRead >= chosen.logLines),
		jobEnded,
	};
}

/** A line in place of those that cannot be read, with the number of the last one: readers continue after it. */
const onUnreadable: OnUnreadable = (segment, error) => {
	const lines =
		segment.firstNumber === segment.lastNumber ? `Line ${segment.firstNumber}` : `Lines ${segment.firstNumber} to ${segment.lastNumber}`;
	const cause = error instanceof Error ? error.message : String(error);
	const text = `${lines} could not be read from the log store (${cause}). Check that all web servers and schedulers share its folder.`;
	return { number: segment.lastNumber, at: segment.lastAt, stream: "spillway", text };
};
