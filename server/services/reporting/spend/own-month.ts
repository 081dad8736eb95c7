import { and, eq, inArray, sql } from "drizzle-orm";
import { jobMonth } from "#server/db/schema/charge.ts";
import { job } from "#server/db/schema/job.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";

/** Cost of the jobs that one person submitted. */
export interface OwnMonth {
	totalMicroUsd: bigint;
	/** The part that ran in the cloud. */
	cloudMicroUsd: bigint;
	/** Jobs with charges in the month. */
	jobs: number;
}

/**
 * Cost of the caller's own jobs in a month of the ledger's calendar. Excludes teams that the caller has left.
 * Cost: reads the month's jobs of these teams by index.
 * @throws SpillwayError `forbidden`.
 */
export async function getOwnMonth(ctx: Pick<ServiceContext, "actor" | "db">, monthStartMs: number): Promise<OwnMonth> {
	const teams = teamScope(ctx, "spend:read");
	const [row] = await ctx.db
		.select({
			total: sql<string>`coalesce(sum(${jobMonth.effectiveMicroUsd}), 0)::text`,
			cloud: sql<string>`coalesce(sum(${jobMonth.cloudMicroUsd}), 0)::text`,
			jobs: sql<number>`count(*)::int`,
		})
		.from(jobMonth)
		.innerJoin(job, eq(job.id, jobMonth.jobId))
		.where(
			and(
				eq(jobMonth.monthStart, new Date(monthStartMs)),
				eq(job.submittedBy, actorName(ctx.actor)),
				teams === null ? undefined : inArray(jobMonth.team, [...teams]),
			),
		);
	return { totalMicroUsd: BigInt(row?.total ?? "0"), cloudMicroUsd: BigInt(row?.cloud ?? "0"), jobs: row?.jobs ?? 0 };
}
