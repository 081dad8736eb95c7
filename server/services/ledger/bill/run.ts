import { sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { reconciliation } from "#server/db/schema/bill.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { BillMonth, CloudProvider } from "./read-billed.ts";

/** One reconciliation: a provider's bills of a month. */
export interface Run {
	month: BillMonth;
	provider: CloudProvider;
	/** The time up to which the provider's bills extend. */
	untilMs: number;
	nowMs: number;
	final: boolean;
}

/** @throws SpillwayError `invalid_input`. */
export function utcMonth(key: string): BillMonth {
	if (!/^20\d\d-(0[1-9]|1[0-2])$/.test(key)) {
		throw new SpillwayError("invalid_input", `"${key.slice(0, 40)}" is not a month.`, {
			fields: [{ path: "month", message: "must be a month such as 2026-11" }],
		});
	}
	const from = new Date(`${key}-01T00:00:00Z`);
	return { key, fromMs: from.getTime(), toMs: Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1) };
}

/** Allows one reconciliation of a month at a time; the lock is held until the transaction ends. */
export async function lockMonth(tx: Tx, month: BillMonth): Promise<void> {
	await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`bill:reconcile:${month.key}`}, 0))`);
}

export type ReconciliationRow = typeof reconciliation.$inferInsert;

export async function writeRows(tx: Tx, rows: readonly ReconciliationRow[]): Promise<void> {
	if (rows.length === 0) return;
	await tx
		.insert(reconciliation)
		.values([...rows])
		.onConflictDoUpdate({
			target: [reconciliation.month, reconciliation.provider, reconciliation.resourceId],
			set: {
				instanceId: sql`excluded.instance_id`,
				billId: sql`excluded.bill_id`,
				state: sql`excluded.state`,
				estimatedMicroUsd: sql`excluded.estimated_micro_usd`,
				billedMicroUsd: sql`excluded.billed_micro_usd`,
				adjustedMicroUsd: sql`excluded.adjusted_micro_usd`,
				facts: sql`excluded.facts`,
				reconciledAt: sql`excluded.reconciled_at`,
			},
		});
}
