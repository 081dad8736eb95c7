import { and, gte, lt, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { job } from "#server/db/schema/job.ts";
import { HOUR_MS } from "#server/kernel/units.ts";

/** Up to this many jobs, the whole period takes less than a second, and no sample is needed. */
export const WHOLE_JOBS_MAX = 400;
/** A sample holds a quarter of the jobs within these limits; two replays of it take about a second at most. */
const SAMPLE_SHARE = 1 / 4;
const SAMPLE_JOBS = { min: 200, max: 1_500 };
const STEP_MS = 6 * HOUR_MS;

/** Latest part of a period that holds about as many jobs as a sample, and the jobs of the whole; null if the whole is small enough. */
export async function findSampleSpan(
	db: Db,
	{ fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<{ fromMs: number; ofJobs: number } | null> {
	const [from, to] = [new Date(fromMs), new Date(toMs)];
	const back = sql<number>`floor(extract(epoch from ${to.toISOString()}::timestamptz - ${job.submittedAt}) * 1000 / ${sql.raw(String(STEP_MS))})::int`;
	const steps = await db
		.select({ back: sql<number>`b.back`, jobs: sql<number>`b.jobs` })
		.from(
			db
				.select({ back: back.as("back"), jobs: sql<number>`count(*)::int`.as("jobs") })
				.from(job)
				.where(and(gte(job.submittedAt, from), lt(job.submittedAt, to)))
				.groupBy(sql`1`)
				.as("b"),
		)
		.orderBy(sql`b.back`);
	const ofJobs = steps.reduce((sum, { jobs }) => sum + jobs, 0);
	if (ofJobs <= WHOLE_JOBS_MAX) return null;
	const wanted = Math.min(SAMPLE_JOBS.max, Math.max(SAMPLE_JOBS.min, SAMPLE_SHARE * ofJobs));
	let [taken, length] = [0, 1];
	for (const { back: step, jobs } of steps) {
		if (taken > 0 && taken + jobs > wanted) break;
		taken += jobs;
		length = step + 1;
	}
	return { fromMs: Math.max(fromMs, toMs - length * STEP_MS), ofJobs };
}
