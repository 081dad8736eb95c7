import { and, eq, inArray, sql } from "drizzle-orm";
import type { z } from "zod";
import { retryInput } from "#server/contract/inputs/pipeline.ts";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { pipeline, pipelineRun, type StoredStep } from "#server/db/schema/pipeline.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { LIVE_PIPELINE_STATES, type PipelineState, type StepState } from "#server/domain/states.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { suggestName } from "#server/kernel/nearest-name.ts";
import type { StepNeed } from "#server/scheduling/pipeline/budget-needs.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorizeFound, teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { requireWithinTokenLimit } from "../job/token-limit.ts";
import { NO_COUNTS } from "./counts.ts";
import { noPipeline } from "./readable.ts";
import { reservePipeline } from "./reserve.ts";

/**
 * Resumes an ended pipeline: runs that did not succeed run again, and results of those that did are reused.
 * @throws SpillwayError `not_found`; `forbidden`; `conflict` while it runs, and when there is nothing to re-run; `invalid_input` for an
 * unknown step
 */
export async function retryPipeline(
	ctx: ServiceContext,
	id: string,
	raw: z.input<typeof retryInput>,
): Promise<{ id: string; state: PipelineState; runs: number }> {
	teamScope(ctx, "job:submit");
	const { from } = retryInput.parse(raw);
	return ctx.db.transaction(async (tx) => {
		const [row] = await tx.select().from(pipeline).where(eq(pipeline.id, id)).for("update");
		authorizeFound(ctx, "job:submit", row, () => noPipeline(id));
		if (!row) throw noPipeline(id);
		if (LIVE_PIPELINE_STATES.some((state) => state === row.state))
			throw new SpillwayError("conflict", `Pipeline ${id} is still ${row.state}.`, { fix: "Wait until it has ended, or cancel it." });
		const steps = from === undefined ? [] : downstreamOf(row.graph, from);
		const reset = await tx.execute<{ index: number; step: number; spec: JobSpec }>(sql`
			update pipeline_run set state = 'waiting', tries = 0, exit_code = null, why = null, stop_why = null, finished_at = null
			where pipeline_id = ${id} and (state in ('failed', 'skipped', 'cancelled') or step = any(${sql.param(steps)}::integer[]))
			returning index, step, spec`);
		if (reset.length === 0)
			throw new SpillwayError("conflict", `Every run of pipeline ${id} succeeded.`, { fix: "Name the step to begin from." });
		requireWithinTokenLimit(
			ctx.actor,
			reset.map(({ spec }) => spec),
		);
		await reserveAgain(tx, row, reset, ctx.clock.nowMs());
		const counts = await tx.execute<{ state: StepState; runs: number }>(sql`
			select state, count(*)::int as runs from pipeline_run where pipeline_id = ${id} group by state`);
		await tx
			.update(pipeline)
			.set({
				...{ state: "running", finishedAt: null, cancelRequestedBy: null },
				counts: { ...NO_COUNTS, ...Object.fromEntries(counts.map(({ state, runs }) => [state, runs])) },
			})
			.where(eq(pipeline.id, id));
		await writeAudit(tx, ctx, { action: "pipeline.retry", subject: id, before: { state: row.state }, after: { from: from ?? null } });
		await notify(tx, { wake: true, changes: [{ topic: "pipeline", id, team: row.team }] });
		return { id, state: "running" as const, runs: reset.length };
	});
}

/** Holds the worst case of the re-run runs. Budgets are determined from the first run of each step. */
async function reserveAgain(
	tx: Tx,
	{ id, graph }: typeof pipeline.$inferSelect,
	reset: readonly { index: number; step: number }[],
	nowMs: number,
): Promise<void> {
	const firsts = new Map(
		[...Map.groupBy(reset, ({ step }) => step)].map(([step, runs]) => [runs[0]?.index ?? 0, { step, runs: runs.length }]),
	);
	const specs = await tx
		.select({ index: pipelineRun.index, spec: pipelineRun.spec })
		.from(pipelineRun)
		.where(and(eq(pipelineRun.pipelineId, id), inArray(pipelineRun.index, [...firsts.keys()])));
	const needs = specs.flatMap(({ index, spec }): StepNeed[] => {
		const first = firsts.get(index);
		const maximum = first && graph[first.step]?.maximumMicroUsd;
		if (!maximum) return [];
		return [{ spec, microUsd: BigInt(maximum) * BigInt(first.runs) }];
	});
	await reservePipeline(tx, id, needs, nowMs);
}

/** Positions of a step and of all steps that depend on it. The graph is in topological order. */
function downstreamOf(graph: readonly StoredStep[], from: string): number[] {
	const start = graph.findIndex(({ name }) => name === from);
	if (start < 0) {
		const message = `there is no step ${from}`;
		const fix = suggestName(
			from,
			graph.map(({ name }) => name),
		);
		throw new SpillwayError("invalid_input", `The pipeline has no step "${from}".`, { fields: [{ path: "from", message }], fix });
	}
	const reached = new Set([start]);
	for (const [position, { needs }] of graph.entries()) if (needs.some((need) => reached.has(need))) reached.add(position);
	return [...reached];
}
