import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import type { Retention } from "#server/domain/retention.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { DAY_MS } from "#server/kernel/units.ts";

/** Rows deleted per transaction: short enough not to block others. */
const BATCH = 5_000;
const GIB = 2 ** 30;
/** Rows read to estimate the average size. */
const SAMPLE = 2_000;

type Kind = keyof Retention;
export type Deleted = Record<Kind, number>;

/** A table with its own time column; `where` excludes rows that are always kept. */
const TABLES = {
	events: { table: "event", at: "at", where: "true" },
	explanations: { table: "decision", at: "decided_at", where: "attempt_number is null" },
	metrics: { table: "gpu_minute", at: "minute", where: "true" },
} as const satisfies Partial<Record<Kind, { table: string; at: string; where: string }>>;

/**
 * Deletes rows older than their limit and, oldest first, rows beyond their size limit. Sizes are estimated (average of a sample
 * times the number of rows in PostgreSQL's statistics), because files only shrink after a vacuum. Works in small transactions
 * until the signal, so it can be stopped and continued at any time.
 * @returns rows deleted
 */
export async function applyRetention(ctx: { db: Db; clock: Clock }, limits: Retention, signal?: AbortSignal): Promise<Deleted> {
	const deleted: Deleted = { logs: 0, events: 0, explanations: 0, metrics: 0 };
	for (const kind of ["events", "explanations", "metrics"] as const) {
		const before = new Date(ctx.clock.nowMs() - limits[kind].days * DAY_MS);
		deleted[kind] = await repeatBatches(signal, () => deleteOldest(ctx.db, TABLES[kind], BATCH, before));
		const excess = await excessRows(ctx.db, TABLES[kind].table, limits[kind].maxGiB, deleted[kind]);
		deleted[kind] += await repeatBatches(signal, (done) => deleteOldest(ctx.db, TABLES[kind], Math.min(BATCH, excess - done), null));
	}
	const before = new Date(ctx.clock.nowMs() - limits.logs.days * DAY_MS);
	const oldestLogs = logDeleter(ctx.db);
	deleted.logs = await repeatBatches(signal, () => oldestLogs(before));
	const excess = await excessRows(ctx.db, "job_log", limits.logs.maxGiB, deleted.logs);
	deleted.logs += await repeatBatches(signal, (done) => (done < excess ? oldestLogs(null) : Promise.resolve(0)));
	return deleted;
}

async function repeatBatches(signal: AbortSignal | undefined, batch: (done: number) => Promise<number>): Promise<number> {
	let total = 0;
	while (!signal?.aborted) {
		const count = await batch(total);
		if (count === 0) break;
		total += count;
	}
	return total;
}

/** How many rows to delete so that the rest fits. The statistics may still count rows that were just deleted. */
async function excessRows(db: Db, table: string, maxGiB: number, justDeleted: number): Promise<number> {
	const [size] = await db.execute<{ rows: string; bytes: number | null }>(sql`
		select (select n_live_tup::text from pg_stat_user_tables where schemaname = 'public' and relname = ${table}) as rows,
			(select avg(pg_column_size(t.*))::float8 from (select * from ${sql.identifier(table)} limit ${SAMPLE}) t) as bytes`);
	if (!size?.bytes) return 0;
	const rows = Math.max(0, Number(size.rows) - justDeleted);
	return Math.max(0, rows - Math.floor((maxGiB * GIB) / size.bytes));
}

type Table = (typeof TABLES)[keyof typeof TABLES];

/** @param before only rows before it; null for the oldest, whatever their age */
async function deleteOldest(db: Db, { table, at, where }: Table, limit: number, before: Date | null): Promise<number> {
	if (limit <= 0) return 0;
	const name = sql.identifier(table);
	const time = sql.identifier(at);
	return db.transaction(async (tx) => {
		await tx.execute(sql`select set_config('spillway.retention', 'on', true)`);
		const rows = await tx.execute(sql`
			delete from ${name} where ctid = any (array(
				select ctid from ${name} where ${sql.raw(where)} and ${before === null ? sql`true` : sql`${time} < ${before.toISOString()}::timestamptz`}
				order by ${time} limit ${limit})) returning 1`);
		return rows.length;
	});
}

/**
 * Each call deletes the whole log of the attempt that ended first among those with lines. Lines of live attempts are never
 * deleted. Continues where the last call stopped, so that attempts without lines are skipped once.
 * @returns the number of lines
 */
function logDeleter(db: Db): (before: Date | null) => Promise<number> {
	let from = new Date(0);
	return async (before) => {
		const [row] = await db.execute<{ lines: number; finished_at: string }>(sql`
			with victim as (
				select a.id, a.finished_at from attempt a
				where a.finished_at >= ${from.toISOString()}::timestamptz
					and ${before === null ? sql`true` : sql`a.finished_at < ${before.toISOString()}::timestamptz`}
					and exists (select 1 from job_log l where l.attempt_id = a.id)
				order by a.finished_at limit 1
			), gone as (delete from job_log using victim where attempt_id = victim.id returning 1)
			select (select count(*)::int from gone) as lines, finished_at from victim`);
		if (!row) return 0;
		from = new Date(row.finished_at);
		return row.lines;
	};
}
