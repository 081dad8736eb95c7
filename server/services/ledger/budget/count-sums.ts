import { type SQL, sql } from "drizzle-orm";
import type { Period } from "#server/accounting/calendar.ts";
import type { Tx } from "#server/db/client.ts";
import { BUDGET_COST } from "./cost-sql.ts";
import { COUNTED, replaceBudgetSlices, SLICE_OF_CHARGE, SLICE_SUMS } from "./post-slices.ts";
import { type JobsInScope, jobIsIn, rowsOf, textsOf, USED_MACHINES } from "./scope.ts";

/** Charges of a team's jobs for cloud machines on one day. */
export interface CountedDay {
	dayStartMs: number;
	team: string;
	microUsd: bigint;
}

/** Every day since then. Charges are read only for single jobs. */
export async function countDays(tx: Tx, jobs: JobsInScope, fromMs: number): Promise<CountedDay[]> {
	const rows = rowsOfJobs(jobs, fromMs, { ofSums: sql`team, bucket_start as day, ${BUDGET_COST} as micro`, ofCharges: DAY_OF_CHARGE });
	return rows === null ? [] : readDays(tx, rows);
}

const DAY_OF_CHARGE = sql`team, date_trunc('day', period_start, (select spillway_ledger_zone())) as day, ${BUDGET_COST} as micro`;

/** The period's days, with all sums that the budget counts. */
export async function countSlices(tx: Tx, of: { budgetId: string; period: Period; jobs: JobsInScope }): Promise<void> {
	const ofSums = sql`bucket_start as day, team, ${BUDGET_COST} as posted_micro_usd, ${sql.raw(SLICE_SUMS.join(", "))}`;
	const rows = rowsOfJobs(of.jobs, of.period.fromMs, { ofSums, ofCharges: SLICE_OF_CHARGE });
	await replaceBudgetSlices(tx, { budgetId: of.budgetId, periodKey: of.period.key }, rows);
}

/**
 * Job charges for cloud machines since then; null when there are none. Daily sums with a team are sums of job charges: charges without a
 * job (idle hardware, the unused part of a commitment, a bill's credit) belong to no team.
 */
function rowsOfJobs({ teams, groups, jobIds }: JobsInScope, fromMs: number, columns: { ofSums: SQL; ofCharges: SQL }): SQL | null {
	const from = sql`${new Date(fromMs).toISOString()}::timestamptz`;
	const parts: SQL[] = [];
	if (teams === null || teams.length > 0) {
		const ofTeams = teams === null ? sql`team <> ''` : sql`team in (${textsOf(teams)})`;
		parts.push(sql`select ${columns.ofSums} from rollup_slice
			where granularity = 'day' and dimension = '' and bucket_start >= ${from} and capacity_type <> 'owned' and ${ofTeams}`);
	}
	if (groups.length > 0)
		parts.push(sql`select ${columns.ofSums} from rollup join ${rowsOf(groups)} using (team, project, class)
			where granularity = 'day' and bucket_start >= ${from} and capacity_type <> 'owned'`);
	if (jobIds.length > 0)
		parts.push(
			sql`select ${columns.ofCharges} from charge where period_start >= ${from} and ${COUNTED} and job_id in (${textsOf(jobIds)})`,
		);
	return parts.length === 0 ? null : sql.join(parts, sql` union all `);
}

async function readDays(tx: Tx, rows: SQL): Promise<CountedDay[]> {
	const found = await tx.execute<{ day: string; team: string; sum: string }>(sql`
		select (extract(epoch from day) * 1000)::bigint::text as day, team, sum(micro)::text as sum from (${rows}) as sums group by sums.day, team`);
	return found.map(({ day, team, sum }) => ({ dayStartMs: Number(day), team, microUsd: BigInt(sum) }));
}

/** Inserts each job of the period with its charges for cloud machines. The budget must be locked and have no rows for the period. */
export async function countJobs(tx: Tx, of: { budgetId: string; period: Period; jobs: JobsInScope }): Promise<void> {
	const { budgetId, period, jobs } = of;
	const [from, to] = [new Date(period.fromMs).toISOString(), new Date(period.toMs).toISOString()];
	const within = jobs.teams === null ? sql`job_month` : sql`job_month join job on job.id = job_month.job_id and ${jobIsIn(jobs)}`;
	await tx.execute(sql`
		insert into budget_job (budget_id, period_key, job_id, posted_micro_usd)
		select ${budgetId}, ${period.key}, job_month.job_id, sum(job_month.cloud_micro_usd) from ${within}
		where job_month.month_start >= ${from}::timestamptz and job_month.month_start < ${to}::timestamptz and ${USED_MACHINES}
		group by job_month.job_id`);
}
