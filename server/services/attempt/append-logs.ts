import { eq } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { jobLog } from "#server/db/schema/job-log.ts";

export interface NewLogLine {
	atMs: number;
	stream: "stdout" | "stderr" | "spillway";
	text: string;
}

/** Lines that one attempt may leave; the last one says that the rest was dropped. */
export const LOG_LINES_MAX = 1_000_000;

/**
 * Appends lines to an attempt's log. `firstNumber` is the number of the first line as its source counts them (from 1):
 * lines that are stored already are skipped, so a batch may be sent again. Without it the source is a file that is read
 * by cursor, and `cursor` is stored in the same transaction.
 * Answers the number of the last stored line.
 */
export async function appendLogs(
	tx: Tx,
	input: { attemptId: string; lines: readonly NewLogLine[]; firstNumber?: number; cursor?: { stdout: number; stderr: number } },
): Promise<number> {
	const [row] = await tx
		.select({ stored: attempt.logLines, jobId: attempt.jobId })
		.from(attempt)
		.where(eq(attempt.id, input.attemptId))
		.for("update");
	if (!row) return 0;
	const known = input.firstNumber === undefined ? 0 : Math.max(0, row.stored - (input.firstNumber - 1));
	const fresh = input.lines.slice(known, known + Math.max(0, LOG_LINES_MAX - row.stored));
	if (fresh.length > 0) {
		await tx.insert(jobLog).values(
			fresh.map((line, i) => ({
				attemptId: input.attemptId,
				number: row.stored + 1 + i,
				at: new Date(line.atMs),
				stream: line.stream,
				text: line.text.replaceAll("\u0000", "\ufffd"),
			})),
		);
	}
	const last = row.stored + fresh.length;
	if (fresh.length > 0 || input.cursor) {
		await tx
			.update(attempt)
			.set({ logLines: last, ...(input.cursor ? { logCursor: input.cursor } : {}) })
			.where(eq(attempt.id, input.attemptId));
	}
	if (fresh.length > 0) await notify(tx, { changes: [{ topic: "log", id: row.jobId, team: null }] });
	return last;
}
