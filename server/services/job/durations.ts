import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { DurationBook } from "#server/scheduling/forecast/duration-book.ts";
import type { DurationStat } from "#server/scheduling/types.ts";

/** How far back run times are learnt from, and the newest runs in that time. */
const LOOK_BACK_MS = 90 * DAY_MS;
const RUNS_MAX = 10_000;

/**
 * What jobs took: distributions of run time by name pattern, team and GPUs (scheduling/forecast/duration-book).
 * Cost: the newest RUNS_MAX finished jobs by index, and some twenty microseconds each; the caller keeps it for a minute.
 */
export async function durationStats(db: Db, nowMs: number): Promise<DurationStat[]> {
	const since = new Date(nowMs - LOOK_BACK_MS).toISOString();
	const rows = await db.execute<{ team: string; name: string; gpus: number; ms: number; estimate_ms: number | null }>(sql`
		select team, name, gpus, extract(epoch from finished_at - started_at)::float8 * 1000 as ms,
			(spec->'duration'->>'estimateMs')::float8 as estimate_ms
		from job
		where finished_at > ${since}::timestamptz and state = 'succeeded' and started_at is not null
		order by finished_at desc limit ${RUNS_MAX}`);
	const book = new DurationBook();
	// Oldest first: the book keeps the newest of each group.
	for (const { team, name, gpus, ms, estimate_ms: estimateMs } of rows.toReversed()) {
		const spec = { team, name, nodes: 1, resources: { gpus }, duration: { estimateMs } };
		book.add({ spec, durationMs: Math.round(ms) });
	}
	return book.read();
}
