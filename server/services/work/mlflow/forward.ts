import { eq, lt, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { mlflowForward } from "#server/db/schema/mlflow-forward.ts";
import { trackingExperiment, trackingRun, trackingValue } from "#server/db/schema/tracking.ts";
import type { LineageFacts } from "#server/domain/lineage.ts";
import {
	FORWARDED_RUN_TAG,
	MLFLOW_BATCH,
	type MlflowTag,
	mlflowStatus,
	mlflowTags,
	mlflowValue,
} from "#server/domain/metric/mlflow-run.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "#server/kernel/units.ts";
import { loadLineageFacts } from "../lineage/facts.ts";
import { MlflowClient, MlflowError, type MlflowServer } from "./client.ts";

/** Runs per pass; the others follow in the next one. */
const RUNS_PER_PASS = 100;
/** A run is forwarded after this long even if not all time of its job is charged. */
const CHARGED_WITHIN_MS = HOUR_MS;
/** How long a run is retried, from the end of its job. */
const SENT_WITHIN_MS = 7 * DAY_MS;
const KEPT_MS = 30 * DAY_MS;
/** Pause after the first failure; it doubles up to the second. */
const RETRY_MS = 10 * SECOND_MS;
const RETRY_MOST_MS = HOUR_MS;

interface DueRun {
	runId: string;
	jobId: string;
	remoteRunId: string | null;
	points: number;
	failures: number;
}

type Context = { db: Db; clock: Clock };

/**
 * Forwards the runs of ended jobs to an MLflow server: their own tracking runs, and a run for metrics of their output. What MLflow accepted
 * is stored after each request, so at most the last request is repeated; MLflow ignores a repeated value. A failed run is tried again with
 * increasing pauses until a week after the job's end.
 * @returns the number of runs that were forwarded completely
 * @throws Error when MLflow did not accept a run; the message is also stored for its job
 */
export async function forwardRuns(ctx: Context, server: MlflowServer): Promise<number> {
	const { db } = ctx;
	const nowMs = ctx.clock.nowMs();
	const due = await findDue(db, nowMs);
	const facts = new Map((await loadLineageFacts(db, [...new Set(due.map(({ jobId }) => jobId))])).map((one) => [one.id, one]));
	const client = new MlflowClient(server);
	let sent = 0;
	let failed: Error | null = null;
	for (const run of due) {
		const own = facts.get(run.jobId);
		if (!own || own.finishedAtMs === null || (!own.isCharged && own.finishedAtMs >= nowMs - CHARGED_WITHIN_MS)) continue;
		try {
			await forwardOne(ctx, client, run, own);
			sent++;
		} catch (error) {
			if (!(error instanceof MlflowError)) throw error;
			failed ??= error;
			await recordFailure(db, run, error, nowMs);
			if (error.affectsAll) break;
		}
	}
	await db.delete(mlflowForward).where(lt(mlflowForward.changedAt, new Date(nowMs - KEPT_MS)));
	if (failed) throw failed;
	return sent;
}

/** Runs of jobs that ended in the last week and are not forwarded, those of earlier jobs first. */
async function findDue(db: Db, nowMs: number): Promise<DueRun[]> {
	const [now, since] = [nowMs, nowMs - SENT_WITHIN_MS].map((ms) => new Date(ms).toISOString());
	const rows = await db.execute<{ runId: string; jobId: string; remoteRunId: string | null; points: number; failures: number }>(sql`
		with ended as (select id, finished_at from job
			where finished_at >= ${since}::timestamptz and started_at is not null and not synthetic),
		own as (
			select r.id as run_id, r.job_id from tracking_run r join ended on ended.id = r.job_id where r.deleted_at is null
			union all
			select id, id from ended where exists (select 1 from metric_point p where p.run_id = ended.id))
		select own.run_id as "runId", own.job_id as "jobId", f.remote_run_id as "remoteRunId", coalesce(f.points, 0) as points,
			coalesce(f.failures, 0) as failures
		from own join ended on ended.id = own.job_id left join mlflow_forward f on f.run_id = own.run_id
		where f.sent_at is null and (f.retry_at is null or f.retry_at <= ${now}::timestamptz)
		order by ended.finished_at, own.run_id limit ${RUNS_PER_PASS}`);
	return [...rows];
}

async function forwardOne({ db, clock }: Context, client: MlflowClient, due: DueRun, facts: LineageFacts): Promise<void> {
	const run = await readRun(db, due.runId, facts);
	const tags = [...run.tags, ...mlflowTags(due.runId, facts)];
	const change = (values: Partial<typeof mlflowForward.$inferInsert>): Promise<unknown> =>
		db
			.update(mlflowForward)
			.set({ ...values, changedAt: new Date(clock.nowMs()) })
			.where(eq(mlflowForward.runId, due.runId));
	await ensureRow(db, due, clock.nowMs());
	const remote = due.remoteRunId ?? (await createOrFind(client, due.runId, run));
	if (due.remoteRunId === null) await change({ remoteRunId: remote });
	for (const part of partsOf(tags, MLFLOW_BATCH.tags)) await client.logBatch(remote, { tags: part });
	for (const part of partsOf(run.params, MLFLOW_BATCH.params)) await client.logBatch(remote, { params: part });
	let points = due.points;
	for (let part = await readPoints(db, due.runId, points); part.length > 0; part = await readPoints(db, due.runId, points)) {
		await client.logBatch(remote, { metrics: part });
		points += part.length;
		await change({ points });
	}
	await client.endRun(remote, mlflowStatus(run.status, facts.state), run.endMs);
	await change({ sentAt: new Date(clock.nowMs()), failures: 0, error: null, retryAt: null });
}

/** A run that was created just before a crash is found by its tag. */
async function createOrFind(client: MlflowClient, runId: string, run: RunToSend): Promise<string> {
	const experimentId = await client.experimentId(run.experiment);
	const found = await client.findRun(experimentId, runId);
	const tags = [{ key: FORWARDED_RUN_TAG, value: runId }];
	return found ?? client.createRun({ experimentId, name: run.name, startMs: run.startMs, tags });
}

interface RunToSend {
	experiment: string;
	name: string;
	status: string | null;
	startMs: number;
	endMs: number;
	params: MlflowTag[];
	tags: MlflowTag[];
}

async function readRun(db: Db, runId: string, facts: LineageFacts): Promise<RunToSend> {
	const endMs = facts.finishedAtMs ?? facts.startedAtMs;
	const [row] = await db
		.select({ run: trackingRun, experiment: trackingExperiment.name })
		.from(trackingRun)
		.innerJoin(trackingExperiment, eq(trackingExperiment.id, trackingRun.experimentId))
		.where(eq(trackingRun.id, runId));
	if (!row) {
		const { team, name, startedAtMs } = facts;
		return { experiment: `${team}/jobs`, name, status: null, startMs: startedAtMs, endMs, params: [], tags: [] };
	}
	const { run, experiment } = row;
	const values = await db.select().from(trackingValue).where(eq(trackingValue.runId, runId)).orderBy(trackingValue.key);
	const of = (wanted: "param" | "tag"): MlflowTag[] => values.flatMap(({ kind, key, value }) => (kind === wanted ? [{ key, value }] : []));
	return {
		...{ experiment: `${run.team}/${experiment}`, name: run.name, status: run.status, startMs: run.startMs },
		...{ endMs: run.endMs ?? endMs, params: of("param"), tags: of("tag") },
	};
}

async function readPoints(db: Db, runId: string, after: number) {
	const rows = await db.execute<{ key: string; value: number; timestamp: string; step: string }>(sql`
		select key, value, at_ms::text as timestamp, step::text as step from metric_point where run_id = ${runId}
		order by key, metric_point.step, at_ms offset ${after} limit ${MLFLOW_BATCH.metrics}`);
	return rows.map(({ key, value, timestamp, step }) => ({
		...{ key, value: mlflowValue(Number(value)), timestamp: Number(timestamp), step: Number(step) },
	}));
}

async function ensureRow(db: Db, { runId, jobId }: DueRun, nowMs: number): Promise<void> {
	await db
		.insert(mlflowForward)
		.values({ runId, jobId, changedAt: new Date(nowMs) })
		.onConflictDoNothing();
}

async function recordFailure(db: Db, { runId, failures }: DueRun, error: MlflowError, nowMs: number): Promise<void> {
	const pauseMs = Math.min(RETRY_MOST_MS, RETRY_MS * 2 ** Math.min(failures, 20));
	await db
		.update(mlflowForward)
		.set({ failures: failures + 1, error: error.message, retryAt: new Date(nowMs + pauseMs), changedAt: new Date(nowMs) })
		.where(eq(mlflowForward.runId, runId));
}

function partsOf<T>(items: readonly T[], size: number): T[][] {
	return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}
