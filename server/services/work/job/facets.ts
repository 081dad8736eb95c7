import { and, type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { countJobsInput } from "#server/contract/inputs/job.ts";
import { job } from "#server/db/schema/job.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { jobConditions } from "./list.ts";

type Counts = Record<string, number>;

export interface JobFacets {
	/** Number of jobs that match all filters together. */
	total: number;
	/** Jobs by value; each facet ignores its own filter. */
	state: Counts;
	team: Counts;
	class: Counts;
	/** By site id; jobs that were never placed have none. */
	site: Counts;
}

/**
 * Counts the jobs that the caller may see by value of each filter. Cost: one pass over the matching jobs for each of the four facets and
 * the total, at most once per opened filter.
 */
export async function countJobFacets(ctx: ServiceContext, raw: z.input<typeof countJobsInput>): Promise<JobFacets> {
	const scope = teamScope(ctx, "job:read");
	const input = countJobsInput.parse(raw);
	const where = (without: Partial<z.output<typeof countJobsInput>>) => and(...jobConditions(ctx, { ...input, ...without }, scope));
	const by = async (value: SQL, condition: SQL | undefined): Promise<Counts> => {
		const rows = await ctx.db
			.select({ value: sql<string | null>`${value}`, count: sql<number>`count(*)::int` })
			.from(job)
			.where(condition)
			.groupBy(sql`1`);
		return Object.fromEntries(rows.flatMap(({ value: name, count }) => (name === null ? [] : [[name, count]])));
	};
	const [total, state, team, workload, site] = await Promise.all([
		ctx.db.$count(job, where({})),
		by(sql`${job.state}::text`, where({ state: [] })),
		by(sql`${job.team}`, where({ team: [] })),
		by(sql`${job.class}::text`, where({ class: [] })),
		by(sql`${job.placement}->>'siteId'`, where({ site: undefined })),
	]);
	return { total, state, team, class: workload, site };
}
