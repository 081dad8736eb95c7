import { and, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { job } from "#server/db/schema/job.ts";
import { metricPoint, trackingExperiment, trackingRun, trackingValue } from "#server/db/schema/tracking.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { authorizeFound, teamScope } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { type MetricPoint, recordPoints } from "./record.ts";

export type ExperimentRow = typeof trackingExperiment.$inferSelect;
export type RunRow = typeof trackingRun.$inferSelect;

/** A run with its logged data: the newest value of each metric. */
export interface RunData {
	run: RunRow;
	metrics: { key: string; value: number; step: number; atMs: number }[];
	params: { key: string; value: string }[];
	tags: { key: string; value: string }[];
}

/** Where MLflow's client logs when a script names no experiment. Each team has its own; 0 is no id of a row. */
const DEFAULT_EXPERIMENT = { id: 0, name: "Default" };

/** The tag that links a job's own runs to it. */
export const JOB_TAG = "spillway.job_id";

/** @throws SpillwayError `not_found` */
function missing(what: string, id: string | number): SpillwayError {
	return new SpillwayError("not_found", `There is no ${what} ${id}.`);
}

/** The caller's default team for writing. @throws SpillwayError `invalid_input` for members of no or of several teams */
function teamOf(ctx: ServiceContext, asked: string | undefined): string {
	const scope = teamScope(ctx, "job:submit");
	if (asked !== undefined && (scope === null || scope.includes(asked))) return asked;
	const own = ctx.actor.kind === "system" ? [] : ctx.actor.teams;
	const [only] = own;
	if (only !== undefined && own.length === 1) return only;
	throw new SpillwayError("invalid_input", "It is not clear which team the experiment belongs to.", {
		fix: "Set the tag spillway.team, or use a token of a member of one team.",
	});
}

/** @throws SpillwayError `conflict` when the team already has one with this name */
export async function createExperiment(ctx: ServiceContext, name: string, team?: string): Promise<ExperimentRow> {
	const [row] = await ctx.db
		.insert(trackingExperiment)
		.values({ name, team: teamOf(ctx, team), createdAt: new Date(ctx.clock.nowMs()) })
		.onConflictDoNothing()
		.returning();
	if (row) return row;
	throw new SpillwayError("conflict", `Experiment ${name} already exists.`);
}

/** Experiments of the caller's teams, oldest first. */
export async function listExperiments(ctx: ServiceContext, name?: string): Promise<ExperimentRow[]> {
	const scope = teamScope(ctx, "job:read");
	return ctx.db
		.select()
		.from(trackingExperiment)
		.where(
			and(
				isNull(trackingExperiment.deletedAt),
				scope === null ? undefined : inArray(trackingExperiment.team, [...scope, ""]),
				name === undefined ? undefined : eq(trackingExperiment.name, name),
			),
		)
		.orderBy(trackingExperiment.id)
		.limit(1_000);
}

/** @throws SpillwayError `not_found`, also for another team's */
export async function getExperiment(
	ctx: ServiceContext,
	id: number,
	permission: "job:read" | "job:submit" = "job:read",
): Promise<ExperimentRow> {
	if (id === DEFAULT_EXPERIMENT.id) return defaultExperiment(ctx);
	const [row] = Number.isSafeInteger(id) ? await ctx.db.select().from(trackingExperiment).where(eq(trackingExperiment.id, id)) : [];
	authorizeFound(ctx, permission, row, () => missing("experiment", id));
	if (!row) throw missing("experiment", id);
	return row;
}

async function defaultExperiment(ctx: ServiceContext): Promise<ExperimentRow> {
	const { name } = DEFAULT_EXPERIMENT;
	const team = teamOf(ctx, undefined);
	const isIt = and(eq(trackingExperiment.team, team), eq(trackingExperiment.name, name));
	const find = () => ctx.db.select().from(trackingExperiment).where(isIt);
	const [found] = await find();
	if (found) return found;
	await ctx.db
		.insert(trackingExperiment)
		.values({ name, team, createdAt: new Date(ctx.clock.nowMs()) })
		.onConflictDoNothing();
	const [row] = await find();
	if (!row) throw missing("experiment", name);
	return row;
}

/** Starts a run. A job's own run is linked to it, any other by the tag `spillway.job_id`. @throws SpillwayError `not_found` */
export async function createRun(
	ctx: ServiceContext,
	input: { id: string; experimentId: number; name: string; userName: string; startMs: number; tags: { key: string; value: string }[] },
): Promise<RunData> {
	const { id: experimentId, team } = await getExperiment(ctx, input.experimentId, "job:submit");
	const ownJobId = ctx.actor.kind === "job" ? ctx.actor.jobId : null;
	const jobId = input.tags.find(({ key }) => key === JOB_TAG)?.value ?? ownJobId;
	if (jobId !== null) {
		const [found] = await ctx.db.select({ team: job.team }).from(job).where(eq(job.id, jobId));
		authorizeFound(ctx, "job:submit", isOfOtherJob(ctx, jobId) ? undefined : found, () => missing("job", jobId));
	}
	const { id, name, startMs } = input;
	await ctx.db.transaction(async (tx) => {
		await tx.insert(trackingRun).values({ id, experimentId, team, jobId, name, startMs, userName: input.userName || actorName(ctx.actor) });
		await writeValues(tx, id, "tag", [...input.tags, ...(ownJobId === null ? [] : [{ key: JOB_TAG, value: ownJobId }])]);
	});
	return getRun(ctx, id);
}

/** @throws SpillwayError `not_found`, also for another team's, and for a job's token also another job's */
export async function findRun(ctx: ServiceContext, id: string, permission: "job:read" | "job:submit"): Promise<RunRow> {
	const [row] = await ctx.db.select().from(trackingRun).where(eq(trackingRun.id, id));
	authorizeFound(ctx, permission, row, () => missing("run", id));
	if (!row || isOfOtherJob(ctx, row.jobId)) throw missing("run", id);
	return row;
}

function isOfOtherJob({ actor }: Pick<ServiceContext, "actor">, jobId: string | null): boolean {
	return actor.kind === "job" && actor.jobId !== jobId;
}

export async function getRun(ctx: ServiceContext, id: string): Promise<RunData> {
	const run = await findRun(ctx, id, "job:read");
	const [data] = await withData(ctx.db, [run]);
	if (!data) throw missing("run", id);
	return data;
}

export async function updateRun(
	ctx: ServiceContext,
	id: string,
	changes: Partial<Pick<typeof trackingRun.$inferInsert, "status" | "endMs" | "name" | "deletedAt">>,
): Promise<RunData> {
	await findRun(ctx, id, "job:submit");
	if (Object.keys(changes).length > 0) await ctx.db.update(trackingRun).set(changes).where(eq(trackingRun.id, id));
	return getRun(ctx, id);
}

export interface LogBatch {
	metrics: readonly Omit<MetricPoint, "runId">[];
	params: readonly { key: string; value: string }[];
	tags: readonly { key: string; value: string }[];
}

/** Logs to a run. @throws SpillwayError `not_found`; `conflict` when a parameter has another value already */
export async function logToRun(ctx: ServiceContext, id: string, { metrics, params, tags }: LogBatch): Promise<void> {
	await findRun(ctx, id, "job:submit");
	await ctx.db.transaction(async (tx) => {
		await recordPoints(
			tx,
			metrics.map((point) => ({ runId: id, ...point })),
		);
		await writeValues(tx, id, "tag", tags);
		await writeParams(tx, id, params);
	});
}

/** Appends to a tag that holds a JSON list; any other value of the tag is replaced. */
export async function appendToTag(ctx: ServiceContext, id: string, key: string, entry: object): Promise<void> {
	await findRun(ctx, id, "job:submit");
	await ctx.db.transaction(async (tx) => {
		await tx.select({ id: trackingRun.id }).from(trackingRun).where(eq(trackingRun.id, id)).for("update");
		const tag = and(eq(trackingValue.runId, id), eq(trackingValue.kind, "tag"), eq(trackingValue.key, key));
		const [row] = await tx.select({ value: trackingValue.value }).from(trackingValue).where(tag);
		await writeValues(tx, id, "tag", [{ key, value: JSON.stringify([...listIn(row?.value), entry]) }]);
	});
}

function listIn(json = "[]"): unknown[] {
	try {
		const list: unknown = JSON.parse(json);
		return Array.isArray(list) ? list : [];
	} catch {
		return [];
	}
}

async function writeValues(tx: DbOrTx, runId: string, kind: "param" | "tag", values: LogBatch["tags"]): Promise<void> {
	for (const { key, value } of values)
		await tx
			.insert(trackingValue)
			.values({ runId, kind, key, value })
			.onConflictDoUpdate({ target: [trackingValue.runId, trackingValue.kind, trackingValue.key], set: { value } });
}

/** Parameters do not change: the same value again is accepted. */
async function writeParams(tx: DbOrTx, runId: string, params: LogBatch["params"]): Promise<void> {
	if (params.length === 0) return;
	await tx
		.insert(trackingValue)
		.values(params.map(({ key, value }) => ({ runId, kind: "param" as const, key, value })))
		.onConflictDoNothing();
	const stored = await tx
		.select()
		.from(trackingValue)
		.where(and(eq(trackingValue.runId, runId), eq(trackingValue.kind, "param")));
	const byKey = new Map(stored.map(({ key, value }) => [key, value]));
	const changed = params.find(({ key, value }) => byKey.get(key) !== value);
	if (changed) throw new SpillwayError("conflict", `Parameter ${changed.key} of run ${runId} already has another value.`);
}

/** Runs of experiments, newest first. */
export async function searchRuns(ctx: ServiceContext, experimentIds: readonly number[], limit: number): Promise<RunData[]> {
	const ids: number[] = [];
	for (const id of experimentIds) ids.push((await getExperiment(ctx, id)).id);
	if (ids.length === 0) return [];
	const isOwn = ctx.actor.kind === "job" ? eq(trackingRun.jobId, ctx.actor.jobId) : undefined;
	const runs = await ctx.db
		.select()
		.from(trackingRun)
		.where(and(inArray(trackingRun.experimentId, ids), isNull(trackingRun.deletedAt), isOwn))
		.orderBy(desc(trackingRun.startMs))
		.limit(limit);
	return withData(ctx.db, runs);
}

/** Every point of a metric, in order. */
export async function metricHistory(ctx: ServiceContext, id: string, key: string): Promise<RunData["metrics"]> {
	await findRun(ctx, id, "job:read");
	return ctx.db
		.select({ key: metricPoint.key, value: metricPoint.value, step: metricPoint.step, atMs: metricPoint.atMs })
		.from(metricPoint)
		.where(and(eq(metricPoint.runId, id), eq(metricPoint.key, key)))
		.orderBy(metricPoint.step, metricPoint.atMs)
		.limit(25_000);
}

async function withData(db: DbOrTx, runs: readonly RunRow[]): Promise<RunData[]> {
	if (runs.length === 0) return [];
	const ids = runs.map(({ id }) => id);
	const values = await db.select().from(trackingValue).where(inArray(trackingValue.runId, ids)).orderBy(trackingValue.key);
	const newest = await db
		.selectDistinctOn([metricPoint.runId, metricPoint.key])
		.from(metricPoint)
		.where(inArray(metricPoint.runId, ids))
		.orderBy(metricPoint.runId, metricPoint.key, sql`${metricPoint.step} desc, ${metricPoint.atMs} desc`);
	return runs.map((run) => ({
		run,
		metrics: newest.flatMap(({ runId, ...point }) => (runId === run.id ? [point] : [])),
		params: valuesOf(values, run.id, "param"),
		tags: valuesOf(values, run.id, "tag"),
	}));
}

function valuesOf(values: readonly (typeof trackingValue.$inferSelect)[], runId: string, kind: "param" | "tag") {
	return values.flatMap((one) => (one.runId === runId && one.kind === kind ? [{ key: one.key, value: one.value }] : []));
}
