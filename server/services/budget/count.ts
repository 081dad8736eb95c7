import { and, asc, eq, gt, inArray, sql } from "drizzle-orm";
import { bucketStartMs, type Period, periodOf } from "#server/accounting/calendar.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import type { Tx } from "#server/db/client.ts";
import { budgetCount, budgetDay, budgetJob, budgetPeriod } from "#server/db/schema/budget.ts";
import { job } from "#server/db/schema/job.ts";
import type { BudgetRule } from "#server/domain/policy.ts";
import { DAY_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { evaluateExpression } from "#server/policy/expression.ts";
import { JobFacts } from "#server/policy/job-facts.ts";
import { ledgerCalendar } from "../ledger/calendar.ts";
import { lockBudgets } from "./lock.ts";
import { addToBudgetDays, addToBudgetJobs, type BudgetPosting } from "./post-detail.ts";

/** Whole days before today that forecasts learn from; a new budget gets them too. */
export const HISTORY_DAYS = 28;
/** By then every placement that still went by the policy before has ended. */
const CONFIRM_AFTER_MS = MINUTE_MS;
/** Jobs whose scope is decided at a time. */
const JOBS = 2_000;

/**
 * Makes sure that each budget's current period holds what the ledger has for its scope: one that is new, or whose scope
 * or period is another now, is counted from the charges of the jobs in its scope, and live machines of such jobs count
 * against it from here on. Doing it again changes nothing. Answers the ids that were counted.
 *
 * Cost: nothing for a budget that was counted before. Otherwise it reads the cloud charges of the period (and of
 * HISTORY_DAYS before today) once and evaluates the scope for each of their jobs: about a second for a million charges.
 */
export async function countBudgets(tx: Tx, rules: readonly BudgetRule[], nowMs: number): Promise<string[]> {
	if (rules.length === 0) return [];
	const ids = rules.map((r) => r.id);
	const stale = (known: Map<string, typeof budgetCount.$inferSelect>) => rules.filter((r) => mustCount(r, known.get(r.id), nowMs));
	if (stale(await readCounts(tx, ids)).length === 0) return [];
	await lockBudgets(tx, ids);
	// Read again under the lock: another transaction may have counted meanwhile.
	const known = await readCounts(tx, ids);
	const due = stale(known);
	for (const rule of due) {
		await countBudget(tx, rule, nowMs);
		const before = known.get(rule.id);
		const confirmed = before !== undefined && before.scope === rule.scope && before.period === rule.period;
		const row = { budgetId: rule.id, scope: rule.scope, period: rule.period, countedAt: new Date(nowMs), confirmed };
		await tx.insert(budgetCount).values(row).onConflictDoUpdate({ target: budgetCount.budgetId, set: row });
	}
	return due.map((r) => r.id);
}

function mustCount(rule: BudgetRule, known: typeof budgetCount.$inferSelect | undefined, nowMs: number): boolean {
	if (!known || known.scope !== rule.scope || known.period !== rule.period) return true;
	return !known.confirmed && nowMs - known.countedAt.getTime() >= CONFIRM_AFTER_MS;
}

async function readCounts(tx: Tx, ids: readonly string[]): Promise<Map<string, typeof budgetCount.$inferSelect>> {
	const rows = await tx
		.select()
		.from(budgetCount)
		.where(inArray(budgetCount.budgetId, [...ids]));
	return new Map(rows.map((r) => [r.budgetId, r]));
}

/** The budget is locked. */
async function countBudget(tx: Tx, rule: BudgetRule, nowMs: number): Promise<void> {
	const calendar = await ledgerCalendar(tx);
	const period = periodOf(rule.period, nowMs, calendar);
	// Half a day later than so many times 24 hours, then back to the start of that day: days may have 23 or 25 hours.
	const historyMs = bucketStartMs("day", bucketStartMs("day", nowMs, calendar) - (HISTORY_DAYS - 0.5) * DAY_MS, calendar);
	const fromMs = Math.min(period.fromMs, historyMs);
	// A meter that works on one of these machines has locked its row: waiting for it here, its charges are in what is read next.
	await tx.execute(sql`
		select 1 from instance where id in (select instance_id from hold where state = 'pending') order by id for share`);
	const inScope = await jobsInScope(tx, rule.scope, fromMs);
	const postings = await readPostings(tx, rule, { fromMs, calendar }, inScope);
	await tx.delete(budgetDay).where(and(eq(budgetDay.budgetId, rule.id), gt(budgetDay.dayStart, new Date(fromMs - 1))));
	await tx.delete(budgetJob).where(and(eq(budgetJob.budgetId, rule.id), eq(budgetJob.periodKey, period.key)));
	const current = postings.filter((p) => p.periodKey === period.key);
	await addToBudgetDays(tx, postings);
	await addToBudgetJobs(tx, current);
	const posted = current.reduce((sum, p) => sum + p.microUsd, 0n);
	await tx
		.update(budgetPeriod)
		.set({ postedMicroUsd: posted })
		.where(and(eq(budgetPeriod.budgetId, rule.id), eq(budgetPeriod.periodKey, period.key)));
	// A period in which nothing was charged has no row.
	if (posted !== 0n)
		await tx.insert(budgetPeriod).values({ budgetId: rule.id, periodKey: period.key, postedMicroUsd: posted }).onConflictDoNothing();
	await countHolds(tx, rule, period, inScope);
}

/** Ids of the jobs in scope that have cloud charges since then or a live machine; null when all jobs are. */
async function jobsInScope(tx: Tx, scope: string, fromMs: number): Promise<string[] | null> {
	if (scope.trim() === "true") return null;
	const found: string[] = [];
	for (let after = ""; ; ) {
		const rows = await tx
			.select({ id: job.id, spec: job.spec })
			.from(job)
			.where(
				and(
					gt(job.id, after),
					sql`(exists (select 1 from charge where charge.job_id = ${job.id} and charge.period_start >= ${new Date(fromMs).toISOString()}::timestamptz
						and charge.capacity_type <> 'owned')
						or exists (select 1 from instance join hold on hold.instance_id = instance.id and hold.state = 'pending' where instance.job_id = ${job.id}))`,
				),
			)
			.orderBy(asc(job.id))
			.limit(JOBS);
		for (const { id, spec } of rows) {
			// A scope without an answer for a job holds it, as at placement (judge-job.ts).
			if (evaluateExpression(scope, { job: new JobFacts(spec) }).holds !== false) found.push(id);
		}
		const last = rows.at(-1);
		if (!last || rows.length < JOBS) return found;
		after = last.id;
	}
}

async function readPostings(
	tx: Tx,
	rule: BudgetRule,
	{ fromMs, calendar }: { fromMs: number; calendar: Calendar },
	inScope: string[] | null,
): Promise<BudgetPosting[]> {
	const rows = await tx.execute<{ jobId: string; team: string; day: string; sum: string }>(sql`
		select job_id as "jobId", team, (extract(epoch from day) * 1000)::bigint::text as day, sum(micro)::text as sum from (
			select job_id, team, date_trunc('day', period_start, ${calendar.zone}) as day, effective_micro_usd as micro from charge
			where period_start >= ${new Date(fromMs).toISOString()}::timestamptz and capacity_type <> 'owned' and instance_id is not null
				and job_id is not null ${inScope === null ? sql`` : sql`and job_id in (select jsonb_array_elements_text(${JSON.stringify(inScope)}::jsonb))`}
		) as cloud group by job_id, team, day`);
	return rows.map((r) => {
		const dayStartMs = Number(r.day);
		const { key } = periodOf(rule.period, dayStartMs, calendar);
		return { budgetId: rule.id, periodKey: key, dayStartMs, team: r.team, jobId: r.jobId, microUsd: BigInt(r.sum) };
	});
}

/** Holds of jobs in scope count against the budget, others no longer. */
async function countHolds(tx: Tx, rule: BudgetRule, period: Period, inScope: string[] | null): Promise<void> {
	const within =
		inScope === null ? sql`true` : sql`instance.job_id in (select jsonb_array_elements_text(${JSON.stringify(inScope)}::jsonb))`;
	await tx.execute(sql`
		delete from hold_budget using hold, instance
		where hold_budget.budget_id = ${rule.id} and hold.id = hold_budget.hold_id and instance.id = hold.instance_id and hold.state = 'pending' and not (${within})`);
	await tx.execute(sql`
		insert into hold_budget (hold_id, budget_id, period_key)
		select hold.id, ${rule.id}, ${period.key} from hold join instance on instance.id = hold.instance_id
		where ${within} and (hold.state = 'pending' or hold.closed_at >= ${new Date(period.fromMs).toISOString()}::timestamptz)
		on conflict do nothing`);
	await tx.update(budgetPeriod).set({ heldMicroUsd: 0n }).where(eq(budgetPeriod.budgetId, rule.id));
	await tx.execute(sql`
		insert into budget_period (budget_id, period_key, posted_micro_usd, held_micro_usd)
		select ${rule.id}, hold_budget.period_key, 0, sum(greatest(hold.amount_micro_usd - hold.posted_micro_usd, 0))
		from hold_budget join hold on hold.id = hold_budget.hold_id
		where hold_budget.budget_id = ${rule.id} and hold.state = 'pending' group by hold_budget.period_key
		on conflict (budget_id, period_key) do update set held_micro_usd = excluded.held_micro_usd`);
}
