import { and, asc, eq, gt, gte } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { jobLog } from "#server/db/schema/job-log.ts";
import { logSegment } from "#server/db/schema/log-segment.ts";
import { decodeSegment, type LogLine } from "./segment.ts";
import type { LogStore } from "./store.ts";

type Segment = typeof logSegment.$inferSelect;

/** Handles a segment that cannot be read: throws, or returns a line in its place. */
export type OnUnreadable = (segment: Segment, error: unknown) => LogLine;

interface Source {
	db: Db;
	/** Null when this process has no log store. */
	logs: LogStore | null;
}

/** Up to `limit` lines of an attempt after a number, in order. */
export async function readLines(
	{ db, logs }: Source,
	attemptId: string,
	{ after, limit, onUnreadable }: { after: number; limit: number; onUnreadable: OnUnreadable },
): Promise<LogLine[]> {
	// Rows first: a line that moves between the two queries is in both results, not in neither.
	const rows = await db
		.select({ number: jobLog.number, at: jobLog.at, stream: jobLog.stream, text: jobLog.text })
		.from(jobLog)
		.where(and(eq(jobLog.attemptId, attemptId), gt(jobLog.number, after)))
		.orderBy(asc(jobLog.number))
		.limit(limit);
	// The usual case when a log is followed.
	if (rows[0]?.number === after + 1) return rows;
	const lines: LogLine[] = [];
	let last = after;
	while (lines.length < limit) {
		const [segment] = await db
			.select()
			.from(logSegment)
			.where(and(eq(logSegment.attemptId, attemptId), gte(logSegment.lastNumber, last + 1)))
			.orderBy(asc(logSegment.firstNumber))
			.limit(1);
		if (!segment) break;
		const found = await readSegment(logs, segment).catch((error: unknown) => [onUnreadable(segment, error)]);
		for (const line of found) if (line.number > last) lines.push(line);
		last = segment.lastNumber;
	}
	return [...lines, ...rows.filter(({ number }) => number > last)].slice(0, limit);
}

async function readSegment(logs: LogStore | null, { key, sha256 }: Segment): Promise<LogLine[]> {
	if (!logs) throw new Error("this process has no log store");
	return decodeSegment(await logs.get(key), sha256);
}
