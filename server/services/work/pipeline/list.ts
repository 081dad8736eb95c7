import { and, desc, eq, ilike, inArray, type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { listPipelinesInput } from "#server/contract/inputs/pipeline.ts";
import { pipeline } from "#server/db/schema/pipeline.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { decodeCursor, encodeCursor } from "#server/services/core/cursor.ts";
import { NO_COST, type PipelineCost, type PipelineView, pipelineView } from "./view.ts";

type ListPipelinesInput = z.input<typeof listPipelinesInput>;

/**
 * Pipelines and sweeps, newest first, by keyset: one row each, however many jobs they have.
 * Cost: one index range scan, and one sum over the jobs of the page.
 */
export async function listPipelines(
	ctx: ServiceContext,
	raw: ListPipelinesInput,
): Promise<{ items: PipelineView[]; nextCursor: string | null }> {
	const input = listPipelinesInput.parse(raw);
	const scope = teamScope(ctx, "job:read");
	const conditions: (SQL | undefined)[] = [
		scope === null ? undefined : inArray(pipeline.team, [...scope, ""]),
		input.state.length > 0 ? inArray(pipeline.state, input.state) : undefined,
		input.team.length > 0 ? inArray(pipeline.team, input.team) : undefined,
		input.kind ? eq(pipeline.kind, input.kind) : undefined,
		input.q ? ilike(pipeline.name, `%${input.q.replace(/[\\%_]/g, "\\$&")}%`) : undefined,
	];
	if (input.cursor) {
		const { atMs, id } = decodeCursor(input.cursor);
		conditions.push(sql`(${pipeline.submittedAt}, ${pipeline.id}) < (${new Date(atMs).toISOString()}::timestamptz, ${id})`);
	}
	const rows = await ctx.db
		.select()
		.from(pipeline)
		.where(and(...conditions))
		.orderBy(desc(pipeline.submittedAt), desc(pipeline.id))
		.limit(input.limit + 1);
	const page = rows.slice(0, input.limit);
	const costs = await readCosts(
		ctx,
		page.map(({ id }) => id),
	);
	const last = page.at(-1);
	return {
		items: page.map((row) => pipelineView(row, costs.get(row.id) ?? NO_COST)),
		nextCursor: rows.length > input.limit && last ? encodeCursor(last.submittedAt.getTime(), last.id) : null,
	};
}

/** Cost of all jobs of each pipeline, earlier tries included. */
export async function readCosts({ db }: Pick<ServiceContext, "db">, ids: readonly string[]): Promise<Map<string, PipelineCost>> {
	if (ids.length === 0) return new Map();
	const rows = await db.execute<{ id: string; cost: string; emissions: string }>(sql`
		select p.pipeline_id as id, sum(job.cost_micro_usd)::text as cost, sum(job.emissions_milligrams)::text as emissions
		from pipeline_job p join job on job.id = p.job_id where p.pipeline_id in ${[...ids]} group by p.pipeline_id`);
	return new Map(rows.map(({ id, cost, emissions }) => [id, { costMicroUsd: BigInt(cost), emissionsMilligrams: BigInt(emissions) }]));
}
