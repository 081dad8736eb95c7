import { and, desc, eq, ilike, inArray, like, or, type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { type countJobsInput, listJobsInput } from "#server/contract/inputs/job.ts";
import { job } from "#server/db/schema/job.ts";
import { pipeline, pipelineJob } from "#server/db/schema/pipeline.ts";
import { JOB_STATES } from "#server/domain/states.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { decodeCursor, encodeCursor } from "#server/services/core/cursor.ts";
import { expectedOfJobs } from "./expected.ts";
import { type JobView, jobView } from "./view.ts";

export type ListJobsInput = z.input<typeof listJobsInput>;

/**
 * Jobs, newest first, by keyset. A data scientist sees the jobs of their teams. Cost: one index range scan of at most `limit` + 1 rows when
 * unfiltered or filtered by state or team.
 */
export async function listJobs(ctx: ServiceContext, raw: ListJobsInput): Promise<{ items: JobView[]; nextCursor: string | null }> {
	const input = listJobsInput.parse(raw);
	const conditions = jobConditions(ctx, input, teamScope(ctx, "job:read"));
	if (input.cursor) {
		const { atMs, id } = decodeCursor(input.cursor);
		conditions.push(sql`(${job.submittedAt}, ${job.id}) < (${new Date(atMs).toISOString()}::timestamptz, ${id})`);
	}
	const rows = await ctx.db
		.select()
		.from(job)
		.where(and(...conditions))
		.orderBy(desc(job.submittedAt), desc(job.id))
		.limit(input.limit + 1);
	const page = rows.slice(0, input.limit);
	const last = page.at(-1);
	const expected = await expectedOfJobs(ctx.db, page);
	return {
		items: page.map((row) => jobView(row, expected.get(row.id) ?? null)),
		nextCursor: rows.length > input.limit && last ? encodeCursor(last.submittedAt.getTime(), last.id) : null,
	};
}

/**
 * The conditions of the list's filters.
 * @param scope the teams that the caller may see; null is all of them
 */
export function jobConditions(
	{ actor }: Pick<ServiceContext, "actor">,
	input: z.output<typeof countJobsInput>,
	scope: readonly string[] | null,
): (SQL | undefined)[] {
	return [
		input.mine ? eq(job.submittedBy, actorName(actor)) : undefined,
		scope === null ? undefined : inArray(job.team, [...scope, ""]),
		input.state.length > 0 ? inArray(job.state, input.state) : undefined,
		input.team.length > 0 ? inArray(job.team, input.team) : undefined,
		input.class.length > 0 ? inArray(job.class, input.class) : undefined,
		input.site === undefined ? undefined : siteCondition(input.site),
		input.trials === "all" ? undefined : LIVE_TRIALS,
		input.q ? searchCondition(input.q) : undefined,
		input.endedSinceMs === undefined
			? undefined
			: or(
					sql`${job.state} in ('held','queued','admitted','running')`,
					sql`${job.finishedAt} >= ${new Date(input.endedSinceMs).toISOString()}::timestamptz`,
				),
	];
}

const LIVE_TRIALS = sql`(${job.state} in ('admitted','running') or not exists (
	select 1 from ${pipelineJob} join ${pipeline} on ${pipeline.id} = ${pipelineJob.pipelineId}
	where ${pipelineJob.jobId} = ${job.id} and ${pipeline.kind} = 'Sweep'))`;

function siteCondition(site: string): SQL {
	return site === "cloud" ? sql`${job.placement}->>'capacityType' <> 'owned'` : sql`${job.placement}->>'siteId' = ${site}`;
}

function searchCondition(q: string): SQL | undefined {
	const escaped = q.replace(/[\\%_]/g, "\\$&");
	// Search ids only when the text looks like one: a prefix search of ids cannot use the index of names.
	return q.startsWith("job_") ? or(eq(job.id, q), like(job.id, `${escaped}%`)) : ilike(job.name, `%${escaped}%`);
}

/**
 * Number of waiting and running jobs, and of jobs that ended in the last 24 hours, by state, within what the actor may see. Cost: two index
 * scans over just these jobs, however many older ones there are.
 */
export async function countJobs(ctx: ServiceContext): Promise<Record<(typeof JOB_STATES)[number], number>> {
	const scope = teamScope(ctx, "job:read");
	const mine = scope === null ? undefined : inArray(job.team, [...scope, ""]);
	const count = { state: job.state, count: sql<number>`count(*)::int` };
	const since = new Date(ctx.clock.nowMs() - DAY_MS).toISOString();
	const [live, ended] = await Promise.all([
		ctx.db
			.select(count)
			.from(job)
			.where(and(sql`${job.state} in ('held','queued','admitted','running')`, mine))
			.groupBy(job.state),
		ctx.db
			.select(count)
			.from(job)
			.where(and(sql`${job.finishedAt} >= ${since}::timestamptz`, mine))
			.groupBy(job.state),
	]);
	const out = Object.fromEntries(JOB_STATES.map((s) => [s, 0])) as Record<(typeof JOB_STATES)[number], number>;
	for (const row of [...live, ...ended]) out[row.state] = row.count;
	return out;
}
