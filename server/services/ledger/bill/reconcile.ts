import { and, arrayContains, eq, lt } from "drizzle-orm";
import { add, comparable, NO_MONEY, reconcileInstance } from "#server/accounting/focus/reconcile.ts";
import type { Db } from "#server/db/client.ts";
import { bill, reconciliation } from "#server/db/schema/bill.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { lockBudgetsOfInstances } from "../budget/post-to-holds.ts";
import { firstHour, moneyCharge, noCause, postInstanceCorrections } from "../charge/post-corrections.ts";
import { postInvoiceItems } from "./post-invoice-items.ts";
import { postUnknown } from "./post-unknown.ts";
import { type BilledGroup, billedUntil, readBilled } from "./read-billed.ts";
import { type Charged, chargedIds, readCharged } from "./read-charged.ts";
import { lockMonth, type ReconciliationRow, type Run, utcMonth, writeRows } from "./run.ts";

/** Instances per transaction. */
const INSTANCES_PER_STEP = 500;

/**
 * Compares a month's bills with the ledger, resource by resource, and posts the differences as corrections, so that the ledger
 * matches the bills. Posts only differences that earlier reconciliations did not: running it again changes nothing.
 * Charges missing from a bill are reported. They are reversed once the bill is final (a line belongs to an issued invoice, or
 * `final` is set). Months are UTC months, as providers bill.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function reconcileMonth(ctx: ServiceContext, input: { month: string; final?: boolean }): Promise<void> {
	authorize(ctx, "bill:import", null);
	const month = utcMonth(input.month);
	const nowMs = ctx.clock.nowMs();
	const groups = await readBilled(ctx.db, month);
	for (const [provider, untilMs] of await billedUntil(ctx.db, month, nowMs)) {
		const own = groups.filter((g) => g.provider === provider);
		const run = { month, provider, untilMs, nowMs, final: input.final ?? own.some((g) => g.invoiced) };
		await reconcileInstances(ctx.db, run, own);
		await postUnknown(
			ctx.db,
			run,
			own.filter((g) => g.instanceId === null),
		);
		await postInvoiceItems(ctx.db, run);
	}
	await ctx.db.transaction(async (tx) => {
		await tx.delete(reconciliation).where(and(eq(reconciliation.month, month.key), lt(reconciliation.reconciledAt, new Date(nowMs))));
		await tx
			.update(bill)
			.set({ reconciledAt: new Date(nowMs) })
			.where(arrayContains(bill.months, [month.key]));
		await writeAudit(tx, ctx, { action: "bill.reconcile", subject: month.key, after: { final: input.final ?? null } });
	});
}

async function reconcileInstances(db: Db, run: Run, groups: readonly BilledGroup[]): Promise<void> {
	const byInstance = Map.groupBy(
		groups.filter((g) => g.instanceId !== null),
		(g) => g.instanceId ?? "",
	);
	const ids = [...new Set([...byInstance.keys(), ...(await chargedIds(db, run.month, run.provider, run.untilMs))])].sort();
	for (let at = 0; at < ids.length; at += INSTANCES_PER_STEP) {
		const step = ids.slice(at, at + INSTANCES_PER_STEP);
		await db.transaction(async (tx) => {
			await lockMonth(tx, run.month);
			await lockBudgetsOfInstances(tx, step);
			const found = (await readCharged(tx, run.month, step, run.untilMs)).map((charged) =>
				reconcileOne(run, charged, byInstance.get(charged.instanceId) ?? []),
			);
			await writeRows(
				tx,
				found.map((f) => f.row),
			);
			await postInstanceCorrections(
				tx,
				found.flatMap((f) => f.drafts),
				run.nowMs,
			);
		});
	}
}

function reconcileOne(run: Run, charged: Charged, groups: readonly BilledGroup[]) {
	const billed = groups.length === 0 ? null : merged(groups);
	const found = reconcileInstance(billed, charged, { final: run.final });
	const [first] = groups;
	const row: ReconciliationRow = {
		...{ month: run.month.key, provider: run.provider, resourceId: charged.resourceId, instanceId: charged.instanceId, state: found.state },
		billId: first?.billId ?? null,
		estimatedMicroUsd: comparable(billed, charged).effective,
		billedMicroUsd: billed?.money.effective ?? 0n,
		adjustedMicroUsd: found.adjusted.effective,
		facts: found.facts,
		reconciledAt: new Date(run.nowMs),
	};
	const about = placeOf(run, charged, first);
	if (about === null) return { row, drafts: [] };
	const draft = (money: typeof found.price, correction: "bill_price" | "bill_time") =>
		moneyCharge(money, { ...about, ...noCause(correction), ...about.cause, kind: "adjustment" });
	return { row, drafts: [...draft(found.price, "bill_price"), ...draft(found.time, "bill_time")] };
}

/** Attach it to the instance's latest charge of the month, so that the correction has its job, team and month. */
function placeOf(run: Run, { last, instanceId }: Charged, group: BilledGroup | undefined) {
	if (last) {
		const { periodStartMs, periodEndMs, dimensions, jobId, attemptId } = last;
		return { periodStartMs, periodEndMs, dimensions, cause: { jobId, attemptId, instanceId } };
	}
	if (!group) return null;
	// Billed in a month in which the ledger has no entry for it, so it becomes a separate item.
	const period = firstHour(Math.max(group.fromMs, run.month.fromMs), group.toMs);
	const dimensions = {
		...{ team: "", project: "", class: "" as const, siteId: run.provider, provider: run.provider, region: group.regionId ?? "" },
	};
	return { ...period, dimensions: { ...dimensions, capacityType: "on_demand" as const, accelerator: "" }, cause: { instanceId } };
}

function merged(groups: readonly BilledGroup[]) {
	return {
		money: groups.reduce((sum, g) => add(sum, g.money, 1n), NO_MONEY),
		lines: groups.reduce((sum, g) => sum + g.lines, 0),
		ms: groups.every((g) => g.ms === null) ? null : groups.reduce((sum, g) => sum + (g.ms ?? 0n), 0n),
		otherMicroUsd: groups.reduce((sum, g) => sum + g.otherMicroUsd, 0n),
		disks: groups.some((g) => g.disks),
	};
}
