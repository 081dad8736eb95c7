import { and, asc, desc, eq, gt } from "drizzle-orm";
import type { z } from "zod";
import { readLogsInput } from "#server/contract/inputs/job.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { jobLog } from "#server/db/schema/job-log.ts";
import { isFinal, JOB_TRANSITIONS } from "#server/domain/states.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
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
export async function readLogs(ctx: ServiceContext, jobId: string, raw: ReadLogsInput): Promise<LogPage> {
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
	const lines = await ctx.db
		.select({ number: jobLog.number, at: jobLog.at, stream: jobLog.stream, text: jobLog.text })
		.from(jobLog)
		.where(and(eq(jobLog.attemptId, chosen.id), gt(jobLog.number, after)))
		.orderBy(asc(jobLog.number))
		.limit(input.limit);
	const lastRead = lines.at(-1)?.number ?? after;
	return {
		attempt: chosen.number,
		attempts: row.attempts,
		lines: lines.map((l) => ({ ...l, at: l.at.toISOString() })),
		total: chosen.logLines,
		complete: chosen.finishedAt !== null && lastRead >= chosen.logLines,
		jobEnded,
	};
}
