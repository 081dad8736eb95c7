import { eq, sql } from "drizzle-orm";
import { periodOf } from "#server/accounting/calendar.ts";
import type { Tx } from "#server/db/client.ts";
import { pipelineHold } from "#server/db/schema/pipeline.ts";
import type { BudgetRule } from "#server/domain/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { microToUsdText } from "#server/kernel/money.ts";
import { budgetNeeds, type StepNeed } from "#server/scheduling/pipeline/budget-needs.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { addToPeriods, lockBudgets } from "#server/services/ledger/budget/lock.ts";
import { activePolicy } from "#server/services/policy/active.ts";

/**
 * Reserves the worst case of a whole pipeline in every budget that covers its steps, or writes nothing: once admitted, no step waits for
 * budget. A placement turns its part into the hold of an instance (placeHold), and the unused rest returns here.
 * @throws SpillwayError `conflict` when a budget has too little left
 */
export async function reservePipeline(tx: Tx, pipelineId: string, needs: readonly StepNeed[], nowMs: number): Promise<void> {
	const shares = budgetNeeds((await activePolicy(tx)).policy, needs);
	if (shares.length === 0) return;
	const balances = await lockBudgets(
		tx,
		shares.map(({ rule }) => rule.id),
	);
	const calendar = await ledgerCalendar(tx);
	const rows = shares.map(({ rule, microUsd }) => {
		const periodKey = periodOf(rule.period, nowMs, calendar).key;
		const balance = balances.get(rule.id);
		const freeMicroUsd = rule.capMicroUsd - (balance?.postedByPeriod.get(periodKey) ?? 0n) - (balance?.heldMicroUsd ?? 0n);
		if (microUsd > freeMicroUsd) throw tooLittle(rule, microUsd, freeMicroUsd);
		return { pipelineId, budgetId: rule.id, periodKey, leftMicroUsd: microUsd };
	});
	await tx.insert(pipelineHold).values(rows);
	await addToPeriods(
		tx,
		rows.map(({ budgetId, periodKey, leftMicroUsd }) => ({ budgetId, periodKey, postedMicroUsd: 0n, heldMicroUsd: leftMicroUsd })),
	);
}

function tooLittle({ id }: BudgetRule, microUsd: bigint, freeMicroUsd: bigint): SpillwayError {
	const [needed, free] = [microToUsdText(microUsd), microToUsdText(freeMicroUsd > 0n ? freeMicroUsd : 0n)];
	return new SpillwayError("conflict", `The pipeline may spend up to $${needed}, and budget ${id} has $${free} left.`, {
		fix: "Lower the steps' maximum durations or retries, keep steps at home, or have the budget raised.",
	});
}

/**
 * Releases what a pipeline no longer needs: everything when it has ended, otherwise the excess over the worst case of the remaining runs.
 * Cost: one read without a reservation.
 */
export async function shrinkReservation(tx: Tx, pipelineId: string, neededMicroUsd: bigint): Promise<void> {
	const held = await tx.select().from(pipelineHold).where(eq(pipelineHold.pipelineId, pipelineId));
	if (held.every(({ leftMicroUsd }) => leftMicroUsd <= neededMicroUsd) && neededMicroUsd > 0n) return;
	await lockBudgets(
		tx,
		held.map(({ budgetId }) => budgetId),
	);
	const rows = await tx.execute<{ budgetId: string; periodKey: string; released: string }>(sql`
		with before as (select * from pipeline_hold where pipeline_id = ${pipelineId} and left_micro_usd > ${neededMicroUsd} for update),
		changed as (
			update pipeline_hold set left_micro_usd = ${neededMicroUsd} from before
			where pipeline_hold.pipeline_id = before.pipeline_id and pipeline_hold.budget_id = before.budget_id)
		select budget_id as "budgetId", period_key as "periodKey", (left_micro_usd - ${neededMicroUsd}::bigint)::text as released from before`);
	await addToPeriods(
		tx,
		rows.map(({ budgetId, periodKey, released }) => ({ budgetId, periodKey, postedMicroUsd: 0n, heldMicroUsd: -BigInt(released) })),
	);
	if (neededMicroUsd === 0n) await tx.delete(pipelineHold).where(eq(pipelineHold.pipelineId, pipelineId));
}
