import { sql } from "drizzle-orm";
import type { ChargeDraft } from "#server/accounting/amounts.ts";
import type { Period } from "#server/accounting/calendar.ts";
import type { Tx } from "#server/db/client.ts";

/** A job's charge within one day, as posted to a budget. */
export interface BudgetPosting {
	budgetId: string;
	period: Period;
	dayStartMs: number;
	team: string;
	jobId: string;
	microUsd: bigint;
	charge: ChargeDraft;
}

/** A job counted in a period of a budget. */
export type BudgetJob = Pick<BudgetPosting, "budgetId" | "period" | "jobId">;

/** Rows per statement. A parameter is one JSON text, so only its size is a limit. */
const ROWS = 5_000;

/** Adds postings to their days. The budgets must be locked, which prevents concurrent writes to one row. */
export async function addToBudgetDays(
	tx: Tx,
	postings: readonly Pick<BudgetPosting, "budgetId" | "dayStartMs" | "team" | "microUsd">[],
): Promise<void> {
	const days = sumBy(postings, (p) => [p.budgetId, p.dayStartMs, p.team]);
	for (const rows of chunks(days)) {
		const json = rows.map(({ budgetId, dayStartMs, team, sum }) => ({
			b: budgetId,
			d: new Date(dayStartMs).toISOString(),
			t: team,
			s: sum,
		}));
		await tx.execute(sql`
			insert into budget_day (budget_id, day_start, team, posted_micro_usd)
			select b, d, t, s from jsonb_to_recordset(${JSON.stringify(json)}::jsonb) as r(b text, d timestamptz, t text, s bigint)
			on conflict (budget_id, day_start, team) do update set posted_micro_usd = budget_day.posted_micro_usd + excluded.posted_micro_usd`);
	}
}

/** Adds postings to the periods' jobs, also under the budgets' locks. Returns the jobs that the period had not counted before. */
export async function addToBudgetJobs(tx: Tx, postings: readonly BudgetPosting[]): Promise<BudgetJob[]> {
	const jobs = sumBy(postings, (p) => [p.budgetId, p.period.key, p.jobId]);
	const fresh: BudgetJob[] = [];
	for (const rows of chunks(jobs)) {
		const json = rows.map(({ budgetId, period, jobId, sum }, n) => ({ n, b: budgetId, p: period.key, j: jobId, s: sum }));
		const begun = await tx.execute<{ n: number }>(sql`
			with given as (select * from jsonb_to_recordset(${JSON.stringify(json)}::jsonb) as r(n int, b text, p text, j text, s bigint)),
			written as (
				insert into budget_job (budget_id, period_key, job_id, posted_micro_usd) select b, p, j, s from given
				on conflict (budget_id, period_key, job_id) do update set posted_micro_usd = budget_job.posted_micro_usd + excluded.posted_micro_usd
				returning budget_id, period_key, job_id, xmax = 0 as is_new
			)
			select n from written join given on b = budget_id and p = period_key and j = job_id where is_new`);
		fresh.push(...begun.flatMap(({ n }) => rows[n] ?? []));
	}
	return fresh;
}

function sumBy<P extends { microUsd: bigint }>(postings: readonly P[], key: (p: P) => unknown[]): (P & { sum: string })[] {
	const groups = Map.groupBy(postings, (p) => JSON.stringify(key(p)));
	return [...groups.values()].flatMap((group) => {
		const [first] = group;
		return first ? [{ ...first, sum: group.reduce((sum, p) => sum + p.microUsd, 0n).toString() }] : [];
	});
}

function* chunks<T>(rows: readonly T[]): Generator<T[]> {
	for (let at = 0; at < rows.length; at += ROWS) yield rows.slice(at, at + ROWS);
}
