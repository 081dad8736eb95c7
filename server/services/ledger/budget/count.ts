import { and, eq, gt, inArray, sql } from "drizzle-orm";
import { bucketStartMs, type Period, periodOf } from "#server/accounting/calendar.ts";
import type { Tx } from "#server/db/client.ts";
import { budgetCount, budgetDay, budgetJob, budgetPeriod } from "#server/db/schema/budget.ts";
import type { BudgetRule } from "#server/domain/policy.ts";
import { DAY_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { countDays, countJobs, countSlices } from "./count-sums.ts";
import { lockBudgets } from "./lock.ts";
import { addToBudgetDays } from "./post-detail.ts";
import { findJobsInScope, type JobsInScope, jobIsIn } from "./scope.ts";

/** Whole days before today that forecasts learn from; new budgets are counted back this far too. */
export const HISTORY_DAYS = 28;
/** By then, every placement that still used the previous policy has ended. */
const CONFIRM_AFTER_MS = MINUTE_MS;

/**
 * Ensures that each budget's current period holds the ledger's charges for its scope. A new budget, or one with a changed scope or period,
 * is counted from the sums of the jobs in its scope, and live machines of these jobs count against it from then on. Repeating it changes
 * nothing. Returns the ids of the counted budgets.
 *
 * Cost: nothing for a budget that was counted before. Otherwise it reads the sums of the period (and of HISTORY_DAYS before today) and
 * writes a row for each of the period's jobs: a few seconds for a million jobs. A scope with conditions beyond team, project and class is
 * evaluated for each job, and the charges of matching jobs are read.
 */
export async function countBudgets(tx: Tx, rules: readonly BudgetRule[], nowMs: number): Promise<string[]> {
	if (rules.length === 0) return [];
	const ids = rules.map((r) => r.id);
	const stale = (known: Map<string, typeof budgetCount.$inferSelect>) => rules.filter((r) => mustCount(r, known.get(r.id), nowMs));
	if (stale(await readCounts(tx, ids)).length === 0) return [];
	await lockBudgets(tx, ids);
	// Read again under the lock: another transaction may have counted the budget since.
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

/** The budget must be locked. */
async function countBudget(tx: Tx, rule: BudgetRule, nowMs: number): Promise<void> {
	const calendar = await ledgerCalendar(tx);
	const period = periodOf(rule.period, nowMs, calendar);
	// Go half a day further back than that many times 24 hours, then to the start of that day: days may have 23 or 25 hours.
	const historyMs = bucketStartMs("day", bucketStartMs("day", nowMs, calendar) - (HISTORY_DAYS - 0.5) * DAY_MS, calendar);
	const fromMs = Math.min(period.fromMs, historyMs);
	// A meter that is charging one of these machines has locked its row. Wait for it here, so that the reads below include its charges.
	await tx.execute(sql`
		select 1 from instance where id in (select instance_id from hold where state = 'pending') order by id for share`);
	const jobs = await findJobsInScope(tx, rule.scope, bucketStartMs("month", fromMs, calendar));
	const days = await countDays(tx, jobs, fromMs);
	await tx.delete(budgetDay).where(and(eq(budgetDay.budgetId, rule.id), gt(budgetDay.dayStart, new Date(fromMs - 1))));
	await tx.delete(budgetJob).where(and(eq(budgetJob.budgetId, rule.id), eq(budgetJob.periodKey, period.key)));
	await addToBudgetDays(
		tx,
		days.map((day) => ({ budgetId: rule.id, ...day })),
	);
	await countJobs(tx, { budgetId: rule.id, period, jobs });
	await countSlices(tx, { budgetId: rule.id, period, jobs });
	const current = days.filter((day) => day.dayStartMs >= period.fromMs);
	const posted = current.reduce((sum, day) => sum + day.microUsd, 0n);
	await tx
		.update(budgetPeriod)
		.set({ postedMicroUsd: posted })
		.where(and(eq(budgetPeriod.budgetId, rule.id), eq(budgetPeriod.periodKey, period.key)));
	// A period without charges has no row.
	if (posted !== 0n)
		await tx.insert(budgetPeriod).values({ budgetId: rule.id, periodKey: period.key, postedMicroUsd: posted }).onConflictDoNothing();
	await countHolds(tx, rule, period, jobs);
}

/** Holds of jobs in scope now count against the budget, and all others no longer do. */
async function countHolds(tx: Tx, rule: BudgetRule, period: Period, jobs: JobsInScope): Promise<void> {
	const within = jobIsIn(jobs);
	await tx.execute(sql`
		delete from hold_budget using hold, instance, job
		where hold_budget.budget_id = ${rule.id} and hold.id = hold_budget.hold_id and instance.id = hold.instance_id and job.id = instance.job_id
			and hold.state = 'pending' and not (${within})`);
	await tx.execute(sql`
		insert into hold_budget (hold_id, budget_id, period_key)
		select hold.id, ${rule.id}, ${period.key} from hold join instance on instance.id = hold.instance_id and not hold.warm join job on job.id = instance.job_id
		where ${within} and (hold.state = 'pending' or hold.closed_at >= ${new Date(period.fromMs).toISOString()}::timestamptz)
		on conflict do nothing`);
	await tx.update(budgetPeriod).set({ heldMicroUsd: 0n }).where(eq(budgetPeriod.budgetId, rule.id));
	await tx.execute(sql`
		insert into budget_period (budget_id, period_key, posted_micro_usd, held_micro_usd)
		select ${rule.id}, period_key, 0, sum(left_micro_usd) from (
			select hold_budget.period_key, greatest(hold.amount_micro_usd - hold.posted_micro_usd, 0) as left_micro_usd
			from hold_budget join hold on hold.id = hold_budget.hold_id
			where hold_budget.budget_id = ${rule.id} and hold.state = 'pending'
			union all select period_key, left_micro_usd from pipeline_hold where budget_id = ${rule.id}
			union all select period_key, micro_usd from copy_hold where budget_id = ${rule.id}) as held
		group by period_key
		on conflict (budget_id, period_key) do update set held_micro_usd = excluded.held_micro_usd`);
}
