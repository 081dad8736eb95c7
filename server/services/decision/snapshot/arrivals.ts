import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { HOUR_MS } from "#server/kernel/units.ts";

/** Long enough to see more than one job, and short enough to follow a working day. An assumption. */
const WINDOW_MS = 3 * HOUR_MS;

/**
 * GPUs per hour requested over the last three hours by jobs that the largest owned pool could run: the room to keep free for
 * the next arrivals.
 */
export async function arrivingGpusPerHour(db: Db, nowMs: number): Promise<number> {
	const [from, to] = [new Date(nowMs - WINDOW_MS).toISOString(), new Date(nowMs).toISOString()];
	const [row] = await db.execute<{ gpus: number }>(sql`
		select coalesce(sum(gpus), 0)::float8 as gpus from job
		where submitted_at > ${from}::timestamptz and submitted_at <= ${to}::timestamptz and not synthetic
			and gpus <= (select coalesce(max(nodes * gpus_per_node), 0) from pool)`);
	return (row?.gpus ?? 0) / (WINDOW_MS / HOUR_MS);
}
