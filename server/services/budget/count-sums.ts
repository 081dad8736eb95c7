import { type SQL, sql } from "drizzle-orm";
import type { Period } from "#server/accounting/calendar.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import type { Tx } from "#server/db/client.ts";
import { BUDGET_COST } from "./cost-sql.ts";
import { type JobsInScope, jobIsIn, rowsOf, textsOf } from "./scope.ts";

/** What the jobs of a team were charged for cloud machines on one day. */
export interface CountedDay {
	dayStartMs: number;
	team: string;
	microUsd: bigint;
}

/**
 * Every day since then. Sums of days with a team are sums of jobs' charges: what belongs to no job, such as idle hardware, a
 * commitment's unused part or a bill's credit, belongs to no team. Charges are read for single jobs alone.
 */
export async function countDays(tx: Tx, jobs: JobsInScope, since: { fromMs: number; calendar: Calendar }): Promise<CountedDay[]> {
	const from = sql`${new Date(since.fromMs).toISOString()}::timestamptz`;
	const { teams, groups, jobIds } = jobs;
	const days: CountedDay[] = [];
	if (teams === null || teams.length > 0) {
		const ofTeams = teams === null ? sql`team <> ''` : sql`team in (${textsOf(teams)})`;
		days.push(
			...(await readDays(
				tx,
				sql`select team, bucket_start as day, ${BUDGET_COST} as micro from rollup_slice
					where granularity = 'day' and dimension = '' and bucket_start >= ${from} and capacity_type <> 'owned' and ${ofTeams}`,
			)),
		);
	}
	if (groups.length > 0) {
		days.push(
			...(await readDays(
				tx,
				sql`select team, bucket_start as day, ${BUDGET_COST} as micro from rollup join ${rowsOf(groups)} using (team, project, class)
					where granularity = 'day' and bucket_start >= ${from} and capacity_type <> 'owned'`,
			)),
		);
	}
	if (jobIds.length > 0) {
		days.push(
			...(await readDays(
				tx,
				sql`select team, date_trunc('day', period_start, ${since.calendar.zone}) as day, ${BUDGET_COST} as micro from charge
					where period_start >= ${from} and capacity_type <> 'owned' and instance_id is not null and job_id in (${textsOf(jobIds)})`,
			)),
		);
	}
	return days;
}

async function readDays(tx: Tx, rows: SQL): Promise<CountedDay[]> {
	const found = await tx.execute<{ day: string; team: string; sum: string }>(sql`
		select (extract(epoch from day) * 1000)::bigint::text as day, team, sum(micro)::text as sum from (${rows}) as sums group by sums.day, team`);
	return found.map(({ day, team, sum }) => ({ dayStartMs: Number(day), team, microUsd: BigInt(sum) }));
}

/** Each job of the period with what it was charged for cloud machines; the budget is locked and has no rows of it. */
export async function countJobs(tx: Tx, of: { budgetId: string; period: Period; jobs: JobsInScope }): Promise<void> {
	const { budgetId, period, jobs } = of;
	const [from, to] = [new Date(period.fromMs).toISOString(), new Date(period.toMs).toISOString()];
	const within = jobs.teams === null ? sql`job_month` : sql`job_month join job on job.id = job_month.job_id and ${jobIsIn(jobs)}`;
	await tx.execute(sql`
		insert into budget_job (budget_id, period_key, job_id, posted_micro_usd)
		select ${budgetId}, ${period.key}, job_month.job_id, sum(job_month.cloud_micro_usd) from ${within}
		where job_month.month_start >= ${from}::timestamptz and job_month.month_start < ${to}::timestamptz and job_month.cloud_micro_usd <> 0
		group by job_month.job_id`);
}
