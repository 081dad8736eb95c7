import { and, asc, eq } from "drizzle-orm";
import { z } from "zod";
import type { DbOrTx, Tx } from "#server/db/client.ts";
import { trackingRun, trackingValue } from "#server/db/schema/tracking.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { findRun, type RunRow } from "./tracking.ts";

const MODELS_MAX = 1_000;
const pairs = z.array(z.object({ key: z.string(), value: z.string() }));
const storedModel = z.object({
	name: z.string(),
	/** Below the artifacts of the run. */
	folder: z.string(),
	type: z.string(),
	status: z.string(),
	createdMs: z.number(),
	changedMs: z.number(),
	tags: pairs,
	params: pairs,
	/** The step of the run that it is an output of; null until it is one. */
	step: z.number().nullable(),
});
type StoredModel = z.output<typeof storedModel>;

/** A model that a run logged, as in MLflow 3: a folder of its artifacts with a status. */
export interface LoggedModel extends StoredModel {
	id: string;
	run: RunRow;
}

/** @throws SpillwayError `not_found` for the run; `conflict` beyond MODELS_MAX */
export async function createLoggedModel(
	ctx: ServiceContext,
	runId: string,
	given: Pick<StoredModel, "name" | "type" | "tags" | "params">,
): Promise<LoggedModel> {
	const run = await findRun(ctx, runId, "job:submit");
	return ctx.db.transaction(async (tx) => {
		await lockRun(tx, run.id);
		const number = (await modelsOf(tx, run)).length + 1;
		if (number > MODELS_MAX) throw new SpillwayError("conflict", `A run has at most ${MODELS_MAX} models.`, { fix: "Start another run." });
		const nowMs = ctx.clock.nowMs();
		const times = { createdMs: nowMs, changedMs: nowMs };
		const model = { ...given, ...times, folder: `models/${given.name}-${number}`, status: "LOGGED_MODEL_PENDING", step: null };
		const id = `m-${run.id}-${number}`;
		await tx.insert(trackingValue).values({ runId: run.id, kind: "model", key: id, value: JSON.stringify(model) });
		return { id, run, ...model };
	});
}

/** @throws SpillwayError `not_found`, also for another team's */
export async function getLoggedModel(ctx: ServiceContext, id: string): Promise<LoggedModel> {
	return findModel(ctx.db, await findRun(ctx, runOf(id), "job:read"), id);
}

/** Models that are outputs of a run, in order of their creation. */
export async function modelOutputs(ctx: ServiceContext, run: RunRow): Promise<LoggedModel[]> {
	return (await modelsOf(ctx.db, run)).filter(({ step }) => step !== null).sort((a, b) => a.createdMs - b.createdMs);
}

/** Tags and parameters replace those of the same key. @throws SpillwayError `not_found` */
export async function changeLoggedModel(
	ctx: ServiceContext,
	id: string,
	change: Partial<Pick<StoredModel, "status" | "step" | "tags" | "params">>,
): Promise<LoggedModel> {
	const run = await findRun(ctx, runOf(id), "job:submit");
	return ctx.db.transaction(async (tx) => {
		await lockRun(tx, run.id);
		const before = await findModel(tx, run, id);
		const merged = { tags: merge(before.tags, change.tags), params: merge(before.params, change.params) };
		const after = { ...before, ...change, ...merged, changedMs: ctx.clock.nowMs() };
		await tx
			.update(trackingValue)
			.set({ value: JSON.stringify(storedModel.parse(after)) })
			.where(and(eq(trackingValue.runId, run.id), eq(trackingValue.kind, "model"), eq(trackingValue.key, id)));
		return after;
	});
}

function merge(old: StoredModel["tags"], fresh: StoredModel["tags"] = []): StoredModel["tags"] {
	return [...new Map([...old, ...fresh].map((pair) => [pair.key, pair])).values()];
}

function lockRun(tx: Tx, runId: string) {
	return tx.select({ id: trackingRun.id }).from(trackingRun).where(eq(trackingRun.id, runId)).for("update");
}

async function findModel(db: DbOrTx, run: RunRow, id: string): Promise<LoggedModel> {
	const found = (await modelsOf(db, run)).find((model) => model.id === id);
	if (!found) throw new SpillwayError("not_found", `There is no logged model ${id}.`);
	return found;
}

async function modelsOf(db: DbOrTx, run: RunRow): Promise<LoggedModel[]> {
	const rows = await db
		.select()
		.from(trackingValue)
		.where(and(eq(trackingValue.runId, run.id), eq(trackingValue.kind, "model")))
		.orderBy(asc(trackingValue.key));
	return rows.map(({ key, value }) => ({ id: key, run, ...storedModel.parse(JSON.parse(value)) }));
}

/** The run in a model's id, `m-RUN-NUMBER`. @throws SpillwayError `not_found` */
function runOf(id: string): string {
	const [, runId] = /^m-([0-9a-f]{32})-\d{1,6}$/.exec(id) ?? [];
	if (runId === undefined) throw new SpillwayError("not_found", `There is no logged model ${id.slice(0, 100)}.`);
	return runId;
}
