import { sql } from "drizzle-orm";
import { DAY_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { waitSeconds } from "#server/services/core/process-metrics.ts";
import type { LoopContext } from "./context.ts";

/** Commits may become visible out of order; a start this recent is looked at again. */
const OVERLAP_MS = MINUTE_MS;

/** Records the wait of each job with a first attempt since the last call, once; starts before the first call are skipped. */
export function waitRecorder(ctx: LoopContext): () => Promise<void> {
	let sinceMs = ctx.clock.nowMs();
	const startMs = sinceMs;
	let seen = new Map<string, number>();
	return async () => {
		const from = Math.max(startMs, sinceMs - OVERLAP_MS);
		const rows = await ctx.db.execute<{ id: string; class: string; capacity_type: string; wait: number; started_ms: number }>(sql`
			select a.id, j.class, a.capacity_type, extract(epoch from a.started_at - j.submitted_at)::float8 as wait,
				(extract(epoch from a.started_at) * 1000)::float8 as started_ms
			from attempt a join job j on j.id = a.job_id
			where a.number = 1 and a.started_at >= ${new Date(from).toISOString()}::timestamptz
				and a.created_at >= ${new Date(from - DAY_MS).toISOString()}::timestamptz`);
		for (const row of rows) {
			if (!seen.has(row.id)) waitSeconds.observe({ class: row.class, capacity_type: row.capacity_type }, Math.max(0, row.wait));
			seen.set(row.id, row.started_ms);
			sinceMs = Math.max(sinceMs, row.started_ms);
		}
		seen = new Map([...seen].filter(([, startedMs]) => startedMs >= sinceMs - OVERLAP_MS));
	};
}
