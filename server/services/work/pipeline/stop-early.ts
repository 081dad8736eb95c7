import { and, eq, isNull, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { pipeline, pipelineRun } from "#server/db/schema/pipeline.ts";
import { decideStops, type Trial } from "#server/domain/pipeline/stop-rule.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeSchedulerAudit } from "#server/services/core/audit.ts";
import { systemContext } from "#server/services/core/context.ts";
import { cancelJob } from "../job/cancel.ts";

/**
 * Stops trials of sweeps by their metric: records why, then cancels their jobs. After a crash in between, the reason is recorded and the
 * next call cancels. Returns how many jobs were asked to stop. Cost: one query without a live sweep that stops early; otherwise one read of
 * its trials' points.
 */
export async function stopTrialsEarly(db: Db, clock: Clock): Promise<number> {
	const sweeps = await db
		.select({ id: pipeline.id, team: pipeline.team, stop: pipeline.stop })
		.from(pipeline)
		.where(and(eq(pipeline.state, "running"), sql`${pipeline.stop} is not null`));
	let stopped = 0;
	for (const { id, team, stop } of sweeps) {
		if (!stop) continue;
		const trials = await readTrials(db, id, stop.metric);
		const { stops, reached } = decideStops(stop, trials);
		if (stops.length > 0 || reached) await recordStops(db, { id, team, stops, reached, nowMs: clock.nowMs() });
		stopped += await cancelStopped(db, clock, id);
	}
	return stopped;
}

async function readTrials(db: Db, id: string, metric: string): Promise<Trial[]> {
	const rows = await db.execute<{ index: number; running: boolean; points: [number, number][] | null }>(sql`
		select r.index, r.state = 'submitted' and r.stop_why is null as running, p.points from pipeline_run r
		join lateral (
			select json_agg(json_build_array(m.step, m.value) order by m.step, m.at_ms) as points from metric_point m
			where m.key = ${metric}
				and m.run_id in (select r.job_id union all select t.id from tracking_run t where t.job_id = r.job_id)) p on true
		where r.pipeline_id = ${id} and r.job_id is not null and r.state in ('submitted', 'succeeded', 'skipped')
		order by r.index`);
	return rows.map(({ index, running, points }) => ({
		index,
		isRunning: running,
		points: (points ?? []).map(([step, value]) => ({ step, value })),
	}));
}

type Recording = { id: string; team: string; nowMs: number } & ReturnType<typeof decideStops>;

async function recordStops(db: Db, { id, team, stops, reached, nowMs }: Recording): Promise<void> {
	await db.transaction(async (tx) => {
		await tx.select({ id: pipeline.id }).from(pipeline).where(eq(pipeline.id, id)).for("update");
		let changed = 0;
		for (const { index, why } of stops) {
			const rows = await tx
				.update(pipelineRun)
				.set({ stopWhy: why })
				.where(
					and(
						eq(pipelineRun.pipelineId, id),
						eq(pipelineRun.index, index),
						eq(pipelineRun.state, "submitted"),
						isNull(pipelineRun.stopWhy),
					),
				)
				.returning({ index: pipelineRun.index });
			changed += rows.length;
		}
		if (reached) {
			// The trial that reached it ends by itself; waiting trials never start.
			const rows = await tx
				.update(pipelineRun)
				.set({ stopWhy: reached.why })
				.where(
					and(
						eq(pipelineRun.pipelineId, id),
						sql`${pipelineRun.index} <> ${reached.index} and ${pipelineRun.state} in ('waiting', 'submitted')`,
						isNull(pipelineRun.stopWhy),
					),
				)
				.returning({ index: pipelineRun.index });
			changed += rows.length;
		}
		if (changed === 0) return;
		await writeSchedulerAudit(tx, { action: "pipeline.stop_early", subject: id, after: { runs: changed }, atMs: nowMs });
		await notify(tx, { wake: true, changes: [{ topic: "pipeline", id, team }] });
	});
}

async function cancelStopped(db: Db, clock: Clock, id: string): Promise<number> {
	const rows = await db.execute<{ jobId: string }>(sql`
		select r.job_id as "jobId" from pipeline_run r join job j on j.id = r.job_id
		where r.pipeline_id = ${id} and r.state = 'submitted' and r.stop_why is not null
			and j.state in ('held', 'queued', 'admitted', 'running') and j.cancel_requested_at is null`);
	for (const { jobId } of rows) {
		try {
			await cancelJob(systemContext(db, clock), jobId);
		} catch (error) {
			if (!(error instanceof SpillwayError && error.code === "conflict")) throw error;
		}
	}
	return rows.length;
}
