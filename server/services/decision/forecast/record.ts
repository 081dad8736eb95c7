import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { waitForecast } from "#server/db/schema/wait-forecast.ts";
import { SECOND_MS } from "#server/kernel/units.ts";
import { givenForecast } from "#server/scheduling/forecast/record.ts";
import type { PendingJob, Plan, Snapshot } from "#server/scheduling/types.ts";

/** Rows per statement. */
const BATCH = 1_000;
const SETTLE_EVERY_MS = 10 * SECOND_MS;

/** Recorded forecasts, so that most cycles write nothing. Losing it costs inserts that change nothing. */
export interface ForecastMemory {
	/** Nearest recorded horizon of each pending job, by job and attempt. */
	nearest: Map<string, number>;
	/** The pending jobs of the last cycle, by job and attempt. */
	pending: Set<string>;
	/** A job left the queue, and its forecasts are open: true at first, because a job may have left before. */
	hasOpen: boolean;
	settledAtMs: number;
}

export function newForecastMemory(): ForecastMemory {
	return { nearest: new Map(), pending: new Set(), hasOpen: true, settledAtMs: Number.NEGATIVE_INFINITY };
}

/**
 * Records the forecasts of waiting jobs in this cycle, to be scored when they start: the first forecast of each job, and the first of each
 * nearer horizon. Jobs that the cycle places get none. Also settles forecasts of jobs that no longer wait.
 */
export async function recordForecasts(db: Db, snapshot: Snapshot, plan: Plan, memory: ForecastMemory): Promise<void> {
	const rows = newRows(snapshot, plan, memory);
	for (let i = 0; i < rows.length; i += BATCH) {
		await db
			.insert(waitForecast)
			.values(rows.slice(i, i + BATCH))
			.onConflictDoNothing();
	}
	noteLeft(snapshot, memory);
	if (!memory.hasOpen || (snapshot.nowMs - memory.settledAtMs < SETTLE_EVERY_MS && snapshot.nowMs >= memory.settledAtMs)) return;
	await settleForecasts(db);
	memory.settledAtMs = snapshot.nowMs;
	memory.hasOpen = false;
}

const keyOf = ({ jobId, nextAttemptNo }: PendingJob): string => `${jobId} ${nextAttemptNo}`;

/** A job has left the queue when a snapshot no longer contains it: the change that removed it was committed before. */
function noteLeft(snapshot: Snapshot, memory: ForecastMemory): void {
	const pending = new Set(snapshot.pending.map(keyOf));
	memory.hasOpen ||= !memory.pending.isSubsetOf(pending);
	memory.pending = pending;
}

function newRows(snapshot: Snapshot, plan: Plan, memory: ForecastMemory): (typeof waitForecast.$inferInsert)[] {
	const rows: (typeof waitForecast.$inferInsert)[] = [];
	const waiting = new Set<string>();
	for (const job of snapshot.pending) {
		const range = plan.waiting.has(job.jobId) ? plan.forecasts.get(job.jobId) : undefined;
		if (!range) continue;
		const given = givenForecast(plan.replayed?.get(job.jobId) ?? range, range, snapshot.nowMs);
		if (!given) continue;
		const key = keyOf(job);
		waiting.add(key);
		const nearest = memory.nearest.get(key);
		if (nearest !== undefined && given.horizon >= nearest) continue;
		memory.nearest.set(key, given.horizon);
		const { replayP50Ms, replayP90Ms, forecastP50Ms, forecastP90Ms, horizon } = given;
		rows.push({
			jobId: job.jobId,
			attemptNo: job.nextAttemptNo,
			horizon,
			first: nearest === undefined,
			at: new Date(snapshot.nowMs),
			replayP50Ms: Math.round(replayP50Ms),
			replayP90Ms: Math.round(replayP90Ms),
			forecastP50Ms: Math.round(forecastP50Ms),
			forecastP90Ms: Math.round(forecastP90Ms),
		});
	}
	for (const key of memory.nearest.keys()) if (!waiting.has(key)) memory.nearest.delete(key);
	return rows;
}

/**
 * Records the outcome of waits. A job placed at home for the awaited attempt started then. A job that left for the cloud, or ended without
 * a start, is censored: its start at home is unknown.
 */
export async function settleForecasts(db: Db): Promise<void> {
	await db.execute(sql`
		update wait_forecast f set ended_at = greatest(a.created_at, f.at),
			outcome = case when a.placement->>'capacityType' = 'owned' then 'started' else 'censored' end
		from attempt a where f.ended_at is null and a.job_id = f.job_id and a.number = f.attempt_no`);
	await db.execute(sql`
		update wait_forecast f set ended_at = greatest(coalesce(j.finished_at, f.at), f.at), outcome = 'censored'
		from job j where f.ended_at is null and j.id = f.job_id and j.state in ('succeeded', 'failed', 'cancelled')`);
}
