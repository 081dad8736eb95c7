import { and, asc, eq, getTableColumns, lt, lte, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { jobLog } from "#server/db/schema/job-log.ts";
import { logSegment } from "#server/db/schema/log-segment.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { encodeSegment, type LogLine } from "./segment.ts";
import type { LogStore } from "./store.ts";
import { listTails, type Tail } from "./tails.ts";

/** Lines of a live attempt move when there are this many, or when the oldest has this age. Those of an ended one always move. */
const LINES_DUE = 1_000;
const AGE_DUE_MS = HOUR_MS;
/** Size of a segment: small enough to be read for a single page. */
const SEGMENT_LINES = 5_000;
const SEGMENT_CHARACTERS = 1024 * 1024;

interface Mover {
	db: Db;
	clock: Clock;
	logs: LogStore;
}

/**
 * Moves lines from the database to the log store. Each segment is durable before its rows are deleted, in the transaction that records it.
 * It is recorded only if it replaces exactly the rows it was made from, so a former leader that still runs moves nothing twice.
 * @returns segments and lines moved
 */
export async function moveLogs(ctx: Mover, signal?: AbortSignal): Promise<{ segments: number; lines: number }> {
	const moved = { segments: 0, lines: 0 };
	let from: string | null = "";
	while (from !== null && !signal?.aborted) {
		const chunk: { tails: Tail[]; next: string | null } = await listTails(ctx.db, from);
		for (const tail of chunk.tails) {
			if (!isDue(tail, ctx.clock.nowMs())) continue;
			for (let lines = -1; lines !== 0 && !signal?.aborted; ) {
				lines = await moveSegment(ctx, tail);
				if (lines > 0) moved.segments++;
				moved.lines += lines;
			}
		}
		from = chunk.next;
	}
	return moved;
}

function isDue({ hasEnded, firstNumber, lastNumber, oldestMs }: Tail, nowMs: number): boolean {
	return hasEnded || lastNumber - firstNumber + 1 >= LINES_DUE || nowMs - oldestMs >= AGE_DUE_MS;
}

/** @returns lines moved: 0 when there are none, or when another process moved or deleted them meanwhile */
async function moveSegment({ db, logs }: Mover, { attemptId, lastNumber }: Tail): Promise<number> {
	const lines = await nextLines(db, attemptId, lastNumber);
	const first = lines[0];
	const last = lines.at(-1);
	if (!first || !last) return 0;
	const { content, sha256 } = await encodeSegment(lines);
	const key = `${attemptId}/${String(first.number).padStart(7, "0")}-${sha256.slice(0, 16)}.ndjson.gz`;
	await logs.put(key, content);
	const range = { attemptId, firstNumber: first.number, lastNumber: last.number };
	const isRecorded = await recordSegment(db, { ...range, lastAt: last.at, bytes: content.length, sha256, key }, lines.length);
	if (isRecorded) return lines.length;
	const [same] = await db.select({ key: logSegment.key }).from(logSegment).where(eq(logSegment.key, key)).limit(1);
	if (!same) await logs.remove(key);
	return 0;
}

/** The attempt's first lines in the database, at least one and at most one segment. The size is limited here, not after the transfer. */
async function nextLines(db: Db, attemptId: string, lastNumber: number): Promise<LogLine[]> {
	const before = sql<string>`coalesce(sum(length(${jobLog.text})) over (order by ${jobLog.number} rows between unbounded preceding and 1 preceding), 0)`;
	const { attemptId: _, ...columns } = getTableColumns(jobLog);
	const first = db
		.select(columns)
		.from(jobLog)
		.where(and(eq(jobLog.attemptId, attemptId), lte(jobLog.number, lastNumber)))
		.orderBy(asc(jobLog.number))
		.limit(SEGMENT_LINES)
		.as("job_log");
	const sized = db
		.$with("sized")
		.as(db.select({ number: first.number, at: first.at, stream: first.stream, text: first.text, before: before.as("before") }).from(first));
	return db
		.with(sized)
		.select({ number: sized.number, at: sized.at, stream: sized.stream, text: sized.text })
		.from(sized)
		.where(lt(sized.before, String(SEGMENT_CHARACTERS)))
		.orderBy(asc(sized.number));
}

/** Replaces the rows by the segment, unless some of them no longer exist. */
async function recordSegment(db: Db, segment: typeof logSegment.$inferInsert, lines: number): Promise<boolean> {
	class MissingRows extends Error {}
	const { attemptId, firstNumber, lastNumber } = segment;
	try {
		await db.transaction(async (tx) => {
			const deleted = await tx.execute(
				sql`delete from job_log where attempt_id = ${attemptId} and number between ${firstNumber} and ${lastNumber}`,
			);
			if (deleted.count !== lines) throw new MissingRows();
			await tx.insert(logSegment).values(segment);
		});
		return true;
	} catch (error) {
		if (error instanceof MissingRows) return false;
		throw error;
	}
}
