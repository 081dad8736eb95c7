import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";

/** Attempts read per query, one index probe each. */
const CHUNK = 1_000;

/** An attempt with lines in the database. */
export interface Tail {
	attemptId: string;
	/** The first line in the database, and its time. */
	firstNumber: number;
	oldestMs: number;
	/** The attempt's last line. */
	lastNumber: number;
	hasEnded: boolean;
}

/** Attempts with lines in the database, by id, after `from`. `next` is where to continue; null at the end. */
export async function listTails(db: Db, from: string): Promise<{ tails: Tail[]; next: string | null }> {
	const rows = await db.execute<{
		attempt_id: string;
		number: number;
		oldest_ms: number;
		log_lines: number | null;
		has_ended: boolean | null;
	}>(sql`
		with recursive tail as (
			(select attempt_id, number, at, 1 as place from job_log where attempt_id > ${from} order by attempt_id, number limit 1)
			union all
			select l.attempt_id, l.number, l.at, t.place + 1 from tail t cross join lateral (
				select attempt_id, number, at from job_log where attempt_id > t.attempt_id order by attempt_id, number limit 1
			) l where t.place < ${CHUNK})
		select t.attempt_id, t.number, (extract(epoch from t.at) * 1000)::float8 as oldest_ms, a.log_lines, a.finished_at is not null as has_ended
		from tail t left join attempt a on a.id = t.attempt_id order by t.place`);
	const tails = rows.flatMap((row): Tail[] =>
		row.log_lines === null
			? []
			: [
					{
						...{ attemptId: row.attempt_id, firstNumber: row.number, oldestMs: row.oldest_ms },
						...{ lastNumber: row.log_lines, hasEnded: row.has_ended ?? false },
					},
				],
	);
	return { tails, next: rows.length < CHUNK ? null : (rows.at(-1)?.attempt_id ?? null) };
}

/** Age of the oldest line in the database: of the attempts with the lowest ids, which are those of the oldest jobs. */
export async function oldestTailMs(db: Db): Promise<number | null> {
	const { tails } = await listTails(db, "");
	return tails.length === 0 ? null : Math.min(...tails.map(({ oldestMs }) => oldestMs));
}
