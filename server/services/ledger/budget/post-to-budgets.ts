import { inArray } from "drizzle-orm";
import type { ChargeDraft } from "#server/accounting/amounts.ts";
import { budgetCost } from "#server/accounting/budget-cost.ts";
import { bucketStartMs, periodOf } from "#server/accounting/calendar.ts";
import type { Tx } from "#server/db/client.ts";
import { job } from "#server/db/schema/job.ts";
import type { BudgetRule } from "#server/domain/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { evaluateExpression } from "#server/policy/expression.ts";
import { JobFacts } from "#server/policy/job-facts.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { addToPeriods, lockBudgets } from "./lock.ts";
import { addToBudgetDays, addToBudgetJobs, type BudgetPosting } from "./post-detail.ts";
import { addToBudgetSlices } from "./post-slices.ts";

export type BudgetsOfJobs = ReadonlyMap<string, readonly BudgetRule[]>;

/** Locks the budgets of the active policy that count these jobs, and `others`. Call it before locking jobs. */
export async function lockBudgetsOfJobs(tx: Tx, jobIds: readonly string[], others: readonly string[] = []): Promise<BudgetsOfJobs> {
	const rules = jobIds.length === 0 ? [] : await activeBudgets(tx);
	if (rules.length === 0 && others.length === 0) return new Map();
	const jobs = await tx
		.select({ id: job.id, spec: job.spec })
		.from(job)
		.where(inArray(job.id, [...jobIds]));
	// A job counts in a scope that cannot be evaluated for it, as at placement (judge-job.ts).
	const counts = (rule: BudgetRule, facts: JobFacts) => evaluateExpression(rule.scope, { job: facts }).holds !== false;
	const found = new Map(jobs.map(({ id, spec }) => [id, rules.filter((rule) => counts(rule, new JobFacts(spec)))]));
	await lockBudgets(tx, [...others, ...[...found.values()].flatMap((own) => own.map(({ id }) => id))]);
	return found;
}

/** Posts cloud charges without a hold to the budgets of their jobs, before the ledger has them. No charge crosses a day. */
export async function postToBudgets(tx: Tx, charges: readonly ChargeDraft[], budgets: BudgetsOfJobs): Promise<void> {
	const calendar = await ledgerCalendar(tx);
	const postings = charges.flatMap((charge): BudgetPosting[] => {
		const { jobId, dimensions, periodStartMs } = charge;
		if (jobId === null || dimensions.capacityType === "owned") return [];
		const of = { dayStartMs: bucketStartMs("day", periodStartMs, calendar), team: dimensions.team, jobId, microUsd: budgetCost(charge) };
		return (budgets.get(jobId) ?? []).map(({ id, period }) => ({
			...{ budgetId: id, period: periodOf(period, periodStartMs, calendar), ...of, charge },
		}));
	});
	await addToPeriods(
		tx,
		postings.map(({ budgetId, period, microUsd }) => ({ budgetId, periodKey: period.key, postedMicroUsd: microUsd, heldMicroUsd: 0n })),
	);
	await addToBudgetDays(tx, postings);
	await addToBudgetSlices(tx, postings, await addToBudgetJobs(tx, postings));
}

async function activeBudgets(tx: Tx): Promise<readonly BudgetRule[]> {
	try {
		return (await activePolicy(tx)).policy.budgets;
	} catch (error) {
		if (error instanceof SpillwayError && error.code === "unavailable") return [];
		throw error;
	}
}
