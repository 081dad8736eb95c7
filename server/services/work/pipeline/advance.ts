import { asc, eq, sql } from "drizzle-orm";
import type { Db, Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { job } from "#server/db/schema/job.ts";
import { pipeline, pipelineRun } from "#server/db/schema/pipeline.ts";
import { type Advance, advancePipeline, type RunMove, type RunView } from "#server/domain/pipeline/advance.ts";
import { FINAL_STEP_STATES, LIVE_PIPELINE_STATES } from "#server/domain/states.ts";
import { stepConditionHolds } from "#server/policy/step-condition.ts";
import { neededOf } from "#server/scheduling/pipeline/expectations.ts";
import { writeSchedulerAudit } from "#server/services/core/audit.ts";
import { recordPipelineNotice } from "../notice/pipeline.ts";
import { readFacts } from "./read-facts.ts";
import { shrinkReservation } from "./reserve.ts";
import { submitRuns } from "./submit-runs.ts";

type PipelineRow = typeof pipeline.$inferSelect;

/**
 * Advances every pipeline with pending work: processes ended jobs, and submits the runs that are due. Each pipeline has one transaction, so
 * a crash leaves it unchanged and the next call decides the same. Cost: one query when nothing is due; otherwise one read of the pipeline's
 * runs, without their specs.
 * @param step called within the transaction, and after its commit
 * @returns how many pipelines advanced
 */
export async function advancePipelines(db: Db, options: { nowMs: number; step: (at: "deciding" | "decided") => void }): Promise<number> {
	let moved = 0;
	for (const id of await findDue(db)) {
		const did = await db.transaction(async (tx) => {
			const done = await advanceOne(tx, id, options.nowMs);
			if (done) options.step("deciding");
			return done;
		});
		if (!did) continue;
		moved++;
		options.step("decided");
	}
	return moved;
}

/** Live pipelines with an ended job in a run, with no live job at all, or with more runs that can start. */
async function findDue(db: Db): Promise<string[]> {
	const rows = await db.execute<{ id: string }>(sql`
		select p.id from pipeline p
		where p.state in ('running', 'cancelling') and (
			(p.counts->>'submitted')::int = 0
			or exists (select 1 from pipeline_run r where r.pipeline_id = p.id and r.state = 'waiting' and r.stop_why is not null)
			or (p.state = 'cancelling' and (p.counts->>'waiting')::int > 0)
			or exists (
				select 1 from pipeline_run r join job j on j.id = r.job_id
				where r.pipeline_id = p.id and r.state = 'submitted' and j.state in ('succeeded', 'failed', 'cancelled')))
		order by p.id`);
	return rows.map(({ id }) => id);
}

async function advanceOne(tx: Tx, id: string, nowMs: number): Promise<boolean> {
	const [row] = await tx.select().from(pipeline).where(eq(pipeline.id, id)).for("update");
	if (!row || !LIVE_PIPELINE_STATES.some((state) => state === row.state)) return false;
	const runs = await readRuns(tx, row);
	const advance = advancePipeline(row.graph, runs, { state: row.state, parallel: row.parallel, holds: stepConditionHolds });
	if (advance.moves.length === 0 && advance.submit.length === 0 && advance.state === row.state) return false;
	await writeMoves(tx, id, advance.moves, nowMs);
	await submitRuns(tx, row, advance.submit, nowMs);
	await shrinkReservation(tx, id, neededOf(row.graph, runs, advance.moves));
	await writePipeline(tx, row, advance, nowMs);
	return true;
}

async function readRuns(tx: Tx, { id: pipelineId, graph }: PipelineRow): Promise<RunView[]> {
	const facts = await readFacts(tx, pipelineId, graph);
	const rows = await tx
		.select({
			...{ index: pipelineRun.index, step: pipelineRun.step, state: pipelineRun.state, tries: pipelineRun.tries },
			...{ stopWhy: pipelineRun.stopWhy, stored: pipelineRun.exitCode, jobState: job.state, exitCode: attempt.exitCode },
		})
		.from(pipelineRun)
		.leftJoin(job, eq(job.id, pipelineRun.jobId))
		.leftJoin(attempt, sql`${attempt.jobId} = ${job.id} and ${attempt.number} = ${job.attempts}`)
		.where(eq(pipelineRun.pipelineId, pipelineId))
		.orderBy(asc(pipelineRun.index));
	return rows.map(({ index, step, state, tries, stopWhy, stored, jobState, exitCode }) => ({
		...{ index, step, state, tries, stopWhy },
		job: jobState === null ? null : { state: jobState, exitCode: exitCode ?? stored },
		facts: facts.get(index),
	}));
}

async function writeMoves(tx: Tx, pipelineId: string, moves: readonly RunMove[], nowMs: number): Promise<void> {
	if (moves.length === 0) return;
	const rows = moves.map(({ index, to, exitCode, why }) => {
		const isFinal = FINAL_STEP_STATES.some((state) => state === to);
		return { index, to, exitCode, why, at: isFinal ? new Date(nowMs).toISOString() : null };
	});
	await tx.execute(sql`
		update pipeline_run set state = m."to", exit_code = coalesce(m."exitCode", exit_code), why = m.why, finished_at = m.at
		from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as m(index integer, "to" text, "exitCode" integer, why text, at timestamptz)
		where pipeline_run.pipeline_id = ${pipelineId} and pipeline_run.index = m.index`);
}

async function writePipeline(tx: Tx, row: PipelineRow, { state, counts }: Advance, nowMs: number): Promise<void> {
	const isOver = !LIVE_PIPELINE_STATES.some((live) => live === state);
	await tx
		.update(pipeline)
		.set({ state, counts, finishedAt: isOver ? new Date(nowMs) : null })
		.where(eq(pipeline.id, row.id));
	if (isOver) {
		await writeSchedulerAudit(tx, { action: "pipeline.end", subject: row.id, after: { state, counts }, atMs: nowMs });
		await recordPipelineNotice(tx, row, { state, counts, nowMs });
	}
	await notify(tx, { wake: true, changes: [{ topic: "pipeline", id: row.id, team: row.team }] });
}
