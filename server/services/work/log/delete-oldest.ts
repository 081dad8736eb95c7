import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import type { LogStore } from "./store.ts";

interface DeletedLog {
	lines: number;
	/** Of the lines, those that were in the database. */
	rows: number;
	/** Freed in the database and in the log store. */
	bytes: number;
}

/**
 * Each call deletes the whole log of the attempt that ended first among those with lines. Lines of live attempts are never
 * deleted. Continues where the last call stopped, so that attempts without lines are skipped once.
 * @returns null when no such attempt is left
 */
export function oldestLogDeleter(db: Db, logs: LogStore): (before: Date | null) => Promise<DeletedLog | null> {
	let from = new Date(0);
	return async (before) => {
		const [attempt] = await db.execute<{ id: string; finished_at: string }>(sql`
			select a.id, a.finished_at from attempt a
			where a.finished_at >= ${from.toISOString()}::timestamptz
				and ${before === null ? sql`true` : sql`a.finished_at < ${before.toISOString()}::timestamptz`}
				and (exists (select 1 from job_log l where l.attempt_id = a.id) or exists (select 1 from log_segment s where s.attempt_id = a.id))
			order by a.finished_at limit 1`);
		if (!attempt) return null;
		from = new Date(attempt.finished_at);
		// Files first: after a crash in between, the rows are found again.
		await logs.removeAttempt(attempt.id);
		const deleted = await deleteRows(db, attempt.id);
		// A segment that was moved meanwhile.
		await logs.removeAttempt(attempt.id);
		return deleted;
	};
}

async function deleteRows(db: Db, attemptId: string): Promise<DeletedLog> {
	return db.transaction(async (tx) => {
		const [rows] = await tx.execute<{ lines: number; bytes: number }>(sql`
			with gone as (delete from job_log where attempt_id = ${attemptId} returning pg_column_size(job_log.*) as bytes)
			select count(*)::int as lines, coalesce(sum(bytes), 0)::float8 as bytes from gone`);
		const [segments] = await tx.execute<{ lines: number; bytes: number }>(sql`
			with gone as (delete from log_segment where attempt_id = ${attemptId} returning last_number - first_number + 1 as lines, bytes)
			select coalesce(sum(lines), 0)::int as lines, coalesce(sum(bytes), 0)::float8 as bytes from gone`);
		return {
			lines: (rows?.lines ?? 0) + (segments?.lines ?? 0),
			rows: rows?.lines ?? 0,
			bytes: (rows?.bytes ?? 0) + (segments?.bytes ?? 0),
		};
	});
}

/** Compressed bytes of all logs in the log store. */
export async function storedLogBytes(db: Db): Promise<number> {
	const [stored] = await db.execute<{ bytes: number }>(sql`select coalesce(sum(bytes), 0)::float8 as bytes from log_segment`);
	return stored?.bytes ?? 0;
}
