import { sql } from "drizzle-orm";
import { type ChargeDraft, NO_AMOUNTS } from "#server/accounting/amounts.ts";
import { isZero, type Money } from "#server/accounting/focus/reconcile.ts";
import type { Tx } from "#server/db/client.ts";
import type { Charge, ChargeCorrection, ChargeKind } from "#server/domain/charge.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { postToHolds } from "../budget/post-to-holds.ts";
import { postCharges } from "./post-charges.ts";

/** A charge of money only, without time or energy. Empty when there is no money either. */
export function moneyCharge(
	money: Money,
	about: Omit<ChargeDraft, keyof typeof NO_AMOUNTS | "dimensions"> & { dimensions: Omit<Charge["dimensions"], "kind">; kind: ChargeKind },
): ChargeDraft[] {
	if (isZero(money)) return [];
	const { kind, dimensions, ...rest } = about;
	const amounts = {
		listMicroUsd: money.list,
		contractedMicroUsd: money.contracted,
		effectiveMicroUsd: money.effective,
		billedMicroUsd: money.billed,
	};
	return [{ ...rest, dimensions: { ...dimensions, kind }, ...NO_AMOUNTS, ...amounts }];
}

export function noCause(correction: ChargeCorrection | null) {
	return { jobId: null, attemptId: null, instanceId: null, allocationId: null, poolId: null, billLineId: null, correction };
}

/** A charge is within one UTC hour: the hour in which the line begins. */
export function firstHour(fromMs: number, toMs: number): { periodStartMs: number; periodEndMs: number } {
	const nextHour = (Math.floor(fromMs / HOUR_MS) + 1) * HOUR_MS;
	return { periodStartMs: fromMs, periodEndMs: toMs > fromMs ? Math.min(nextHour, toMs) : nextHour };
}

/**
 * Posts corrections of instances to the instance's cost, its hold and budgets, and the ledger. The budgets must be locked
 * (lockBudgetsOfInstances). It takes the ledger's last locks, so do not take further locks after calling it.
 */
export async function postInstanceCorrections(tx: Tx, drafts: readonly ChargeDraft[], nowMs: number): Promise<void> {
	const byInstance = Map.groupBy(
		drafts.filter((d) => d.instanceId !== null),
		(d) => d.instanceId ?? "",
	);
	const sums = [...byInstance].map(([id, own]) => ({ id, cost: own.reduce((sum, d) => sum + d.effectiveMicroUsd, 0n).toString() }));
	sums.sort((a, b) => (a.id < b.id ? -1 : 1));
	const ids = JSON.stringify(sums.map((s) => s.id));
	await tx.execute(sql`select 1 from instance where id in (select jsonb_array_elements_text(${ids}::jsonb)) order by id for no key update`);
	await tx.execute(sql`
		update instance set cost_micro_usd = instance.cost_micro_usd + s.cost
		from jsonb_to_recordset(${JSON.stringify(sums)}::jsonb) as s(id text, cost bigint) where instance.id = s.id`);
	await postToHolds(
		tx,
		[...byInstance].map(([instanceId, charges]) => ({ instanceId, charges, settled: false })),
		nowMs,
	);
	await postCharges(tx, drafts, nowMs);
}
