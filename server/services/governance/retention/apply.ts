import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import type { Retention } from "#server/domain/retention.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { oldestLogDeleter, storedLogBytes } from "#server/services/work/log/delete-oldest.ts";
import type { LogStore } from "#server/services/work/log/store.ts";

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
export async function applyRetention(
	ctx: { db: Db; clock: Clock; logs: LogStore },
	limits: Retention,
	signal?: AbortSignal,
): Promise<Deleted> {
	const deleted: Deleted = { logs: 0, events: 0, explanations: 0, metrics: 0 };
	for (const kind of ["events", "explanations", "metrics"] as const) {
		const before = new Date(ctx.clock.nowMs() - limits[kind].days * DAY_MS);
		deleted[kind] = await repeatBatches(signal, () => deleteOldest(ctx.db, TABLES[kind], BATCH, before));
		const excess = await excessRows(ctx.db, TABLES[kind].table, limits[kind].maxGiB, deleted[kind]);
		deleted[kind] += await repeatBatches(signal, (done) => deleteOldest(ctx.db, TABLES[kind], Math.min(BATCH, excess - done), null));
	}
	deleted.logs = await deleteLogs(ctx, limits.logs, signal);
	return deleted;
}

/** @returns lines deleted */
async function deleteLogs(
	{ db, clock, logs }: { db: Db; clock: Clock; logs: LogStore },
	limits: Retention["logs"],
	signal?: AbortSignal,
): Promise<number> {
	const deleteNext = oldestLogDeleter(db, logs);
	const before = new Date(clock.nowMs() - limits.days * DAY_MS);
	const total = { lines: 0, rows: 0, bytes: 0 };
	const deleteWhile = async (isOver: () => boolean, limit: Date | null): Promise<void> => {
		while (isOver() && !signal?.aborted) {
			const deleted = await deleteNext(limit);
			if (!deleted) return;
			for (const key of ["lines", "rows", "bytes"] as const) total[key] += deleted[key];
		}
	};
	await deleteWhile(() => true, before);
	const tail = await sizeOf(db, "job_log");
	const bytesLeft = Math.max(0, tail.rows - total.rows) * tail.bytes + (await storedLogBytes(db));
	const goal = total.bytes + bytesLeft - limits.maxGiB * GIB;
	await deleteWhile(() => total.bytes < goal, null);
	return total.lines;
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
	const { rows, bytes } = await sizeOf(db, table);
	return bytes === 0 ? 0 : Math.max(0, rows - justDeleted - Math.floor((maxGiB * GIB) / bytes));
}

/** Number of rows, and their average size; 0 bytes for an empty table. */
async function sizeOf(db: Db, table: string): Promise<{ rows: number; bytes: number }> {
	const [size] = await db.execute<{ rows: string; bytes: number | null }>(sql`
		select (select n_live_tup::text from pg_stat_user_tables where schemaname = 'public' and relname = ${table}) as rows,
			(select avg(pg_column_size(t.*))::float8 from (select * from ${sql.identifier(table)} limit ${SAMPLE}) t) as bytes`);
	return { rows: Number(size?.rows ?? 0), bytes: size?.bytes ?? 0 };
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
