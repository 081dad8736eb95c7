import { periodOf } from "#server/accounting/calendar.ts";
import type { Tx } from "#server/db/client.ts";
import { hold, holdBudget } from "#server/db/schema/budget.ts";
import type { BudgetRule } from "#server/domain/policy.ts";
import { assert } from "#server/kernel/assert.ts";
import { newId } from "#server/kernel/ids.ts";
import { ledgerCalendar } from "../ledger/calendar.ts";
import { addToPeriods, lockBudgets } from "./lock.ts";

export interface HoldRefusal {
	ok: false;
	/** The budget that misses the most. */
	budgetId: string;
	missingMicroUsd: bigint;
	/** cap − posted − held; below 0 when the cap was lowered under what is spent. */
	freeMicroUsd: bigint;
	capMicroUsd: bigint;
}

/**
 * Sets the worst case of one instance aside in every budget that holds its job, or refuses and writes nothing.
 * It locks the budgets until the transaction ends, so whoever comes next sees this hold: however many place at once,
 * all together stay within the cap. Call it before the job's row is changed (see lockBudgets).
 */
export async function placeHold(
	tx: Tx,
	input: { instanceId: string; amountMicroUsd: bigint; budgets: readonly BudgetRule[]; nowMs: number },
): Promise<{ ok: true } | HoldRefusal> {
	const { instanceId, amountMicroUsd, budgets, nowMs } = input;
	assert(amountMicroUsd > 0n, `the hold of ${instanceId} must be above 0, got ${amountMicroUsd}`);
	const balances = await lockBudgets(
		tx,
		budgets.map((b) => b.id),
	);
	const calendar = await ledgerCalendar(tx);
	let worst: HoldRefusal | null = null;
	for (const rule of budgets) {
		const balance = balances.get(rule.id);
		const posted = balance?.postedByPeriod.get(periodOf(rule.period, nowMs, calendar).key) ?? 0n;
		const freeMicroUsd = rule.capMicroUsd - posted - (balance?.heldMicroUsd ?? 0n);
		const missingMicroUsd = amountMicroUsd - freeMicroUsd;
		if (missingMicroUsd <= 0n || (worst !== null && missingMicroUsd <= worst.missingMicroUsd)) continue;
		worst = { ok: false, budgetId: rule.id, missingMicroUsd, freeMicroUsd, capMicroUsd: rule.capMicroUsd };
	}
	if (worst) return worst;
	const id = newId("hold", nowMs);
	await tx.insert(hold).values({ id, instanceId, amountMicroUsd, createdAt: new Date(nowMs) });
	const periods = budgets.map((rule) => ({ budgetId: rule.id, periodKey: periodOf(rule.period, nowMs, calendar).key }));
	if (periods.length > 0) await tx.insert(holdBudget).values(periods.map((p) => ({ holdId: id, ...p })));
	await addToPeriods(
		tx,
		periods.map((p) => ({ ...p, postedMicroUsd: 0n, heldMicroUsd: amountMicroUsd })),
	);
	return { ok: true };
}
