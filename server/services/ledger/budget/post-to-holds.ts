import { eq, getTableColumns, inArray, sql } from "drizzle-orm";
import type { ChargeDraft } from "#server/accounting/amounts.ts";
import { budgetCost } from "#server/accounting/budget-cost.ts";
import { bucketStartMs, periodOf } from "#server/accounting/calendar.ts";
import { splitCharge } from "#server/accounting/rollup.ts";
import type { DbOrTx, Tx } from "#server/db/client.ts";
import { hold, holdBudget } from "#server/db/schema/budget.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import type { BudgetPeriod } from "#server/domain/policy.ts";
import type { HoldState } from "#server/domain/states.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { addToPeriods, lockBudgets } from "./lock.ts";
import { addToBudgetDays, addToBudgetJobs, type BudgetPosting } from "./post-detail.ts";
import { addToBudgetSlices } from "./post-slices.ts";

/** Amount charged to one instance, and whether it was the last one. */
export interface HoldPosting {
	instanceId: string;
	charges: readonly ChargeDraft[];
	/** Whether the instance is terminated and charged to its end: the rest of the hold is released. */
	settled: boolean;
	/** Whether the time that it was kept warm is over and charged: the rest of that hold is released. */
	warmSettled?: boolean;
}

/** Locks the budgets that these instances' holds count against. Call it before locking jobs and instances. */
export async function lockBudgetsOfInstances(tx: Tx, instanceIds: readonly string[]): Promise<void> {
	if (instanceIds.length === 0) return;
	const rows = await tx
		.selectDistinct({ budgetId: holdBudget.budgetId })
		.from(hold)
		.innerJoin(holdBudget, eq(holdBudget.holdId, hold.id))
		.where(inArray(hold.instanceId, [...instanceIds]));
	await lockBudgets(
		tx,
		rows.map((r) => r.budgetId),
	);
}

/**
 * Moves money from held to posted. The hold records the true sum. Budgets get each charge in its own period, and the held sum drops by at
 * most the amount of the hold. A settled hold is closed: `posted` if anything was charged, else `voided`. A later correction of a closed
 * hold still counts in its budgets. The budgets must be locked (lockBudgetsOfInstances).
 */
export async function postToHolds(tx: Tx, postings: readonly HoldPosting[], nowMs: number): Promise<void> {
	if (postings.length === 0) return;
	const byInstance = new Map(postings.map((p) => [p.instanceId, p]));
	const holds = await readHolds(tx, [...byInstance.keys()]);
	const counted = await budgetsOf(
		tx,
		holds.map((h) => h.id),
	);
	const periods = await budgetPeriods(tx);
	const calendar = await ledgerCalendar(tx);
	const rows: { id: string; posted: string; state: HoldState }[] = [];
	const changes: Parameters<typeof addToPeriods>[1][number][] = [];
	const detail: BudgetPosting[] = [];
	const leftovers: Leftover[] = [];
	for (const row of holds) {
		const posting = byInstance.get(row.instanceId);
		if (!posting) continue;
		const pending = row.state === "pending";
		const charges = posting.charges.filter((charge) => row.warm === (charge.jobId === null));
		const settled = posting.settled || (row.warm && posting.warmSettled === true);
		const postedMicroUsd = charges.reduce((sum, c) => sum + budgetCost(c), row.postedMicroUsd);
		if (charges.length === 0 && !(pending && settled)) continue;
		const state = !pending ? row.state : !settled ? "pending" : postedMicroUsd > 0n ? "posted" : "voided";
		rows.push({ id: row.id, posted: postedMicroUsd.toString(), state });
		const heldBefore = pending ? left(row.amountMicroUsd, row.postedMicroUsd) : 0n;
		const heldAfter = state === "pending" ? left(row.amountMicroUsd, postedMicroUsd) : 0n;
		for (const { budgetId, periodKey } of counted.get(row.id) ?? []) {
			changes.push({ budgetId, periodKey, postedMicroUsd: 0n, heldMicroUsd: heldAfter - heldBefore });
			const unusedMicroUsd = pending && state !== "pending" ? left(row.amountMicroUsd, postedMicroUsd) : 0n;
			const owner = row.warm ? null : row.owner;
			if (owner && unusedMicroUsd > 0n) leftovers.push({ jobId: owner.jobId, budgetId, unusedMicroUsd });
			// A budget that is no longer in the policy has no cap; its months are kept.
			const kind = periods.get(budgetId) ?? "month";
			for (const charge of charges.flatMap((c) => splitCharge(c, calendar))) {
				const period = periodOf(kind, charge.periodStartMs, calendar);
				const microUsd = budgetCost(charge);
				changes.push({ budgetId, periodKey: period.key, postedMicroUsd: microUsd, heldMicroUsd: 0n });
				const dayStartMs = bucketStartMs("day", charge.periodStartMs, calendar);
				if (owner) detail.push({ budgetId, period, dayStartMs, ...owner, microUsd, charge });
			}
		}
	}
	await writeHolds(tx, rows, nowMs);
	await addToPeriods(tx, [...changes, ...(await returnToPipelines(tx, leftovers))]);
	await addToBudgetDays(tx, detail);
	const fresh = await addToBudgetJobs(tx, detail);
	await addToBudgetSlices(tx, detail, fresh);
}

interface Leftover {
	jobId: string;
	budgetId: string;
	unusedMicroUsd: bigint;
}

/** Returns the rest of a hold to the reservation of the job's pipeline while it exists. The budgets must be locked. */
async function returnToPipelines(tx: Tx, leftovers: readonly Leftover[]): Promise<Parameters<typeof addToPeriods>[1][number][]> {
	const rows = [];
	for (const { jobId, budgetId, unusedMicroUsd } of leftovers) {
		const [row] = await tx.execute<{ periodKey: string }>(sql`
			update pipeline_hold set left_micro_usd = left_micro_usd + ${unusedMicroUsd} from pipeline_job
			where pipeline_job.job_id = ${jobId} and pipeline_hold.pipeline_id = pipeline_job.pipeline_id and pipeline_hold.budget_id = ${budgetId}
			returning period_key as "periodKey"`);
		if (row) rows.push({ budgetId, periodKey: row.periodKey, postedMicroUsd: 0n, heldMicroUsd: unusedMicroUsd });
	}
	return rows;
}

async function readHolds(tx: Tx, instanceIds: string[]) {
	const { id, instanceId, warm, amountMicroUsd, postedMicroUsd, state } = getTableColumns(hold);
	return tx
		.select({ id, instanceId, warm, amountMicroUsd, postedMicroUsd, state, owner: { team: job.team, jobId: job.id } })
		.from(hold)
		.innerJoin(instance, eq(instance.id, hold.instanceId))
		.leftJoin(job, eq(job.id, instance.jobId))
		.where(inArray(hold.instanceId, instanceIds));
}

async function writeHolds(tx: Tx, rows: readonly { id: string; posted: string; state: HoldState }[], nowMs: number): Promise<void> {
	if (rows.length === 0) return;
	await tx.execute(sql`
		update hold set posted_micro_usd = h.posted, state = h.state,
			closed_at = case when h.state = 'pending' then null else coalesce(hold.closed_at, ${new Date(nowMs).toISOString()}::timestamptz) end
		from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as h(id text, posted bigint, state hold_state)
		where hold.id = h.id`);
}

function left(amount: bigint, posted: bigint): bigint {
	return posted < amount ? amount - posted : 0n;
}

async function budgetsOf(tx: Tx, holdIds: readonly string[]): Promise<Map<string, { budgetId: string; periodKey: string }[]>> {
	if (holdIds.length === 0) return new Map();
	const rows = await tx
		.select()
		.from(holdBudget)
		.where(inArray(holdBudget.holdId, [...holdIds]));
	return Map.groupBy(rows, (r) => r.holdId);
}

async function budgetPeriods(db: DbOrTx): Promise<Map<string, BudgetPeriod>> {
	try {
		const { policy } = await activePolicy(db);
		return new Map(policy.budgets.map((b) => [b.id, b.period]));
	} catch (error) {
		if (error instanceof SpillwayError && error.code === "unavailable") return new Map();
		throw error;
	}
}
