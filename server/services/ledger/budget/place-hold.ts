import { and, eq, sql } from "drizzle-orm";
import { periodOf } from "#server/accounting/calendar.ts";
import type { Tx } from "#server/db/client.ts";
import { hold, holdBudget } from "#server/db/schema/budget.ts";
import { pipelineHold, pipelineJob } from "#server/db/schema/pipeline.ts";
import type { BudgetRule } from "#server/domain/policy.ts";
import { assert } from "#server/kernel/assert.ts";
import { newId } from "#server/kernel/ids.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { addToPeriods, lockBudgets } from "./lock.ts";

export interface HoldRefusal {
	ok: false;
	/** The budget with the largest shortfall. */
	budgetId: string;
	missingMicroUsd: bigint;
	/** cap − posted − held; below 0 when the cap was lowered below the amount spent. */
	freeMicroUsd: bigint;
	capMicroUsd: bigint;
}

/**
 * Reserves the worst case of a placement in every budget that covers its job, one hold per instance. If one does not have enough left,
 * nothing is written. It locks the budgets until the transaction ends, so the next caller sees this hold: concurrent placements together
 * stay within the cap. Call it before the job's row is changed (see lockBudgets).
 */
export async function placeHold(
	tx: Tx,
	input: {
		holds: readonly { instanceId: string; warm?: boolean; amountMicroUsd: bigint }[];
		budgets: readonly Pick<BudgetRule, "id" | "period" | "capMicroUsd">[];
		/** The reservation of the job's pipeline is used first. Absent when nothing is reserved. */
		jobId?: string;
		nowMs: number;
	},
): Promise<{ ok: true } | HoldRefusal> {
	const { holds, budgets, nowMs } = input;
	for (const h of holds) assert(h.amountMicroUsd >= 0n, `the hold of ${h.instanceId} must not be below 0, got ${h.amountMicroUsd}`);
	const amountMicroUsd = holds.reduce((sum, h) => sum + h.amountMicroUsd, 0n);
	const balances = await lockBudgets(
		tx,
		budgets.map((b) => b.id),
	);
	const calendar = await ledgerCalendar(tx);
	const reserved = input.jobId === undefined ? NOTHING_RESERVED : await readReserved(tx, input.jobId, amountMicroUsd);
	let worst: HoldRefusal | null = null;
	for (const rule of budgets) {
		const balance = balances.get(rule.id);
		const posted = balance?.postedByPeriod.get(periodOf(rule.period, nowMs, calendar).key) ?? 0n;
		const freeMicroUsd = rule.capMicroUsd - posted - (balance?.heldMicroUsd ?? 0n);
		const missingMicroUsd = amountMicroUsd - (reserved.get(rule.id)?.microUsd ?? 0n) - freeMicroUsd;
		if (missingMicroUsd <= 0n || (worst !== null && missingMicroUsd <= worst.missingMicroUsd)) continue;
		worst = { ok: false, budgetId: rule.id, missingMicroUsd, freeMicroUsd, capMicroUsd: rule.capMicroUsd };
	}
	if (worst) return worst;
	const rows = holds.map((h) => ({ id: newId("hold", nowMs), ...h, createdAt: new Date(nowMs) }));
	await tx.insert(hold).values(rows);
	const periods = budgets.map((rule) => ({ budgetId: rule.id, periodKey: periodOf(rule.period, nowMs, calendar).key }));
	if (periods.length > 0) await tx.insert(holdBudget).values(rows.flatMap(({ id }) => periods.map((p) => ({ holdId: id, ...p }))));
	const taken = [...reserved.values()].filter(({ budgetId }) => budgets.some(({ id }) => id === budgetId));
	await addToPeriods(tx, [
		...periods.map((p) => ({ ...p, postedMicroUsd: 0n, heldMicroUsd: amountMicroUsd })),
		...taken.map(({ budgetId, periodKey, microUsd }) => ({ budgetId, periodKey, postedMicroUsd: 0n, heldMicroUsd: -microUsd })),
	]);
	for (const { pipelineId, budgetId, microUsd } of taken)
		await tx
			.update(pipelineHold)
			.set({ leftMicroUsd: sql`${pipelineHold.leftMicroUsd} - ${microUsd}` })
			.where(and(eq(pipelineHold.pipelineId, pipelineId), eq(pipelineHold.budgetId, budgetId)));
	return { ok: true };
}

interface Reserved {
	pipelineId: string;
	budgetId: string;
	periodKey: string;
	/** At most the amount to hold. */
	microUsd: bigint;
}

const NOTHING_RESERVED: ReadonlyMap<string, Reserved> = new Map();

/** The reservation of the job's pipeline, by budget. The budgets must be locked. */
async function readReserved(tx: Tx, jobId: string, amountMicroUsd: bigint): Promise<Map<string, Reserved>> {
	const rows = await tx
		.select({
			...{ pipelineId: pipelineHold.pipelineId, budgetId: pipelineHold.budgetId, periodKey: pipelineHold.periodKey },
			left: pipelineHold.leftMicroUsd,
		})
		.from(pipelineJob)
		.innerJoin(pipelineHold, eq(pipelineHold.pipelineId, pipelineJob.pipelineId))
		.where(eq(pipelineJob.jobId, jobId));
	return new Map(rows.map(({ left, ...row }) => [row.budgetId, { ...row, microUsd: left < amountMicroUsd ? left : amountMicroUsd }]));
}
