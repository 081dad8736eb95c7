import { eq, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { jobLog } from "#server/db/schema/job-log.ts";
import { pointsIn, recordPoints } from "../metric/record.ts";

export interface NewLogLine {
	atMs: number;
	stream: "stdout" | "stderr" | "spillway";
	text: string;
}

/** Maximum lines per attempt; the last one says that the rest was dropped. */
const LOG_LINES_MAX = 1_000_000;

/** The job's patterns; null for most jobs. */
const METRICS = sql<string[] | null>`(select job.spec -> 'metrics' from job where job.id = ${attempt.jobId})`;

/**
 * Appends lines to an attempt's log. The caller omits lines that are already stored, and updates its count in the same transaction:
 * `cursor` is that count where the source is a file. Returns how many lines were stored, and whether the log is full.
 */
export async function appendLogs(
	tx: Tx,
	input: { attemptId: string; lines: readonly NewLogLine[]; cursor?: { stdout: number; stderr: number } },
): Promise<{ taken: number; full: boolean }> {
	const [row] = await tx
		.select({ stored: attempt.logLines, jobId: attempt.jobId, metrics: METRICS })
		.from(attempt)
		.where(eq(attempt.id, input.attemptId))
		.for("update");
	if (!row) return { taken: 0, full: true };
	const fresh = input.lines.slice(0, Math.max(0, LOG_LINES_MAX - row.stored));
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
	if (row.metrics && fresh.length > 0)
		await recordPoints(
			tx,
			pointsIn(
				row.jobId,
				row.metrics,
				fresh.map(({ atMs, text }, i) => ({ number: row.stored + 1 + i, atMs, text })),
			),
		);
	const last = row.stored + fresh.length;
	if (fresh.length > 0 || input.cursor) {
		await tx
			.update(attempt)
			.set({ logLines: last, ...(input.cursor ? { logCursor: input.cursor } : {}) })
			.where(eq(attempt.id, input.attemptId));
	}
	if (fresh.length > 0) await notify(tx, { changes: [{ topic: "log", id: row.jobId, team: null }] });
	return { taken: fresh.length, full: last >= LOG_LINES_MAX };
}
