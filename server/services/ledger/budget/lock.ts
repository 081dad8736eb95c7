import { asc, inArray, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { budgetPeriod } from "#server/db/schema/budget.ts";

export interface BudgetBalance {
	/** Charges in each period, by period key. */
	postedByPeriod: Map<string, bigint>;
	/**
	 * Holds of live instances, whichever period each was placed in: an instance that runs past the end of a month uses the rest of its hold
	 * in the next month.
	 */
	heldMicroUsd: bigint;
}

/**
 * Locks these budgets until the caller's transaction ends, and returns their balances. All callers lock budgets in this order
 * and before any job or instance, which prevents deadlocks.
 */
export async function lockBudgets(tx: Tx, budgetIds: readonly string[]): Promise<Map<string, BudgetBalance>> {
	const ids = [...new Set(budgetIds)].sort();
	const balances = new Map(ids.map((id): [string, BudgetBalance] => [id, { postedByPeriod: new Map(), heldMicroUsd: 0n }]));
	if (ids.length === 0) return balances;
	// Take one lock per budget, not only its rows: it also covers inserts of rows for new periods.
	for (const id of ids) await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`budget:${id}`}, 0))`);
	const rows = await tx
		.select()
		.from(budgetPeriod)
		.where(inArray(budgetPeriod.budgetId, ids))
		.orderBy(asc(budgetPeriod.budgetId), asc(budgetPeriod.periodKey))
		.for("update");
	for (const row of rows) {
		const balance = balances.get(row.budgetId);
		if (!balance) continue;
		balance.postedByPeriod.set(row.periodKey, row.postedMicroUsd);
		balance.heldMicroUsd += row.heldMicroUsd;
	}
	return balances;
}

/** Adds to (or subtracts from) a period of a budget that the caller has locked. */
export async function addToPeriods(
	tx: Tx,
	changes: readonly { budgetId: string; periodKey: string; postedMicroUsd: bigint; heldMicroUsd: bigint }[],
): Promise<void> {
	const byKey = Map.groupBy(changes, (c) => JSON.stringify([c.budgetId, c.periodKey]));
	for (const group of byKey.values()) {
		const [first] = group;
		if (!first) continue;
		const posted = group.reduce((sum, c) => sum + c.postedMicroUsd, 0n);
		const held = group.reduce((sum, c) => sum + c.heldMicroUsd, 0n);
		// Insert zeros, then update: an inserted row is checked on its own, and a negative change alone is not a valid row.
		await tx.insert(budgetPeriod).values({ budgetId: first.budgetId, periodKey: first.periodKey }).onConflictDoNothing();
		if (posted === 0n && held === 0n) continue;
		await tx
			.update(budgetPeriod)
			.set({
				postedMicroUsd: sql`${budgetPeriod.postedMicroUsd} + ${posted}`,
				heldMicroUsd: sql`${budgetPeriod.heldMicroUsd} + ${held}`,
			})
			.where(sql`${budgetPeriod.budgetId} = ${first.budgetId} and ${budgetPeriod.periodKey} = ${first.periodKey}`);
	}
}
