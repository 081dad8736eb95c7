import { periodOf } from "#server/accounting/calendar.ts";
import type { Tx } from "#server/db/client.ts";
import { hold, holdBudget } from "#server/db/schema/budget.ts";
import type { BudgetRule } from "#server/domain/policy.ts";
import { assert } from "#server/kernel/assert.ts";
import { newId } from "#server/kernel/ids.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
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
 * Sets the worst case of a placement aside in every budget that holds its job, a hold for each of its instances, or
 * refuses and writes nothing.
 * It locks the budgets until the transaction ends, so anyone who comes next sees this hold: however many place at once,
 * all together stay within the cap. Call it before the job's row is changed (see lockBudgets).
 */
export async function placeHold(
	tx: Tx,
	input: { holds: readonly { instanceId: string; amountMicroUsd: bigint }[]; budgets: readonly BudgetRule[]; nowMs: number },
): Promise<{ ok: true } | HoldRefusal> {
	const { holds, budgets, nowMs } = input;
	for (const h of holds) assert(h.amountMicroUsd >= 0n, `the hold of ${h.instanceId} must not be below 0, got ${h.amountMicroUsd}`);
	const amountMicroUsd = holds.reduce((sum, h) => sum + h.amountMicroUsd, 0n);
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
	const rows = holds.map((h) => ({ id: newId("hold", nowMs), ...h, createdAt: new Date(nowMs) }));
	await tx.insert(hold).values(rows);
	const periods = budgets.map((rule) => ({ budgetId: rule.id, periodKey: periodOf(rule.period, nowMs, calendar).key }));
	if (periods.length > 0) await tx.insert(holdBudget).values(rows.flatMap(({ id }) => periods.map((p) => ({ holdId: id, ...p }))));
	await addToPeriods(
		tx,
		periods.map((p) => ({ ...p, postedMicroUsd: 0n, heldMicroUsd: amountMicroUsd })),
	);
	return { ok: true };
}
