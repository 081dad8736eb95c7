import { asc, eq, getTableColumns } from "drizzle-orm";
import type { ChargeDraft } from "#server/accounting/amounts.ts";
import { periodOf } from "#server/accounting/calendar.ts";
import { storedCharge } from "#server/accounting/meter-storage.ts";
import { egressMicroUsd } from "#server/accounting/storage-cost.ts";
import type { Db, Tx } from "#server/db/client.ts";
import { copyHold } from "#server/db/schema/data-copy.ts";
import { job } from "#server/db/schema/job.ts";
import { site } from "#server/db/schema/site.ts";
import { microToUsdText } from "#server/kernel/money.ts";
import { egressMicroUsdPerGiB } from "#server/rates/egress.ts";
import { RATED_PROVIDERS, type RatedProvider } from "#server/rates/offers.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { addToPeriods, lockBudgets } from "../budget/lock.ts";
import { type BudgetsOfJobs, lockBudgetsOfJobs, postToBudgets } from "../budget/post-to-budgets.ts";
import { priceVolumes } from "./egress-volumes.ts";
import { postCharges } from "./post-charges.ts";

/** The region that data leaves at a price; null for an owned site, and for clouds without listed prices. */
export function pricedSource(place: string | null): { provider: RatedProvider; region: string } | null {
	const [name, region] = place?.split(":") ?? [];
	const provider = RATED_PROVIDERS.find((rated) => rated === name);
	return provider === undefined || region === undefined ? null : { provider, region };
}

/**
 * Reserves the egress of a copy in the budgets of its job, which the caller has locked: its bytes at the most expensive tier. Returns why a
 * budget refuses it, or null. A copy that is already reserved stays as it is.
 */
export async function holdCopy(
	tx: Tx,
	input: { copyId: string; jobId: string; from: string; bytes: bigint; budgets: BudgetsOfJobs; nowMs: number },
): Promise<string | null> {
	const source = pricedSource(input.from);
	const [known] = await tx.select().from(copyHold).where(eq(copyHold.copyId, input.copyId)).limit(1);
	if (source === null || known) return null;
	const microUsd = egressMicroUsd(input.bytes, egressMicroUsdPerGiB(source.provider, source.region));
	const rules = input.budgets.get(input.jobId) ?? [];
	const balances = await lockBudgets(
		tx,
		rules.map(({ id }) => id),
	);
	const calendar = await ledgerCalendar(tx);
	const rows = rules.map(({ id: budgetId, period }) => ({
		...{ copyId: input.copyId, budgetId, periodKey: periodOf(period, input.nowMs, calendar).key, microUsd },
	}));
	for (const [i, { id, capMicroUsd }] of rules.entries()) {
		const posted = balances.get(id)?.postedByPeriod.get(rows[i]?.periodKey ?? "") ?? 0n;
		const free = capMicroUsd - posted - (balances.get(id)?.heldMicroUsd ?? 0n);
		if (free >= microUsd) continue;
		const left = microToUsdText(free > 0n ? free : 0n);
		return `its egress from ${input.from} costs up to $${microToUsdText(microUsd)}, and budget ${id} has $${left} left. Have the budget raised, or add a copy at home`;
	}
	if (rows.length > 0) await tx.insert(copyHold).values(rows);
	await addToPeriods(
		tx,
		rows.map(({ budgetId, periodKey }) => ({ budgetId, periodKey, postedMicroUsd: 0n, heldMicroUsd: microUsd })),
	);
	return null;
}

/**
 * Charges the bytes that a copy moved to its job, and releases what was reserved for it. Locks the job's budgets, so call it outside of a
 * transaction.
 */
export async function chargeCopy(
	db: Db,
	copy: { id: string; jobId: string | null; fromPlace: string | null },
	bytes: bigint,
	nowMs: number,
): Promise<void> {
	const source = pricedSource(copy.fromPlace);
	const { jobId } = copy;
	if (source === null || jobId === null) return;
	await db.transaction(async (tx) => {
		const held = await tx.select().from(copyHold).where(eq(copyHold.copyId, copy.id));
		const budgets = await lockBudgetsOfJobs(
			tx,
			[jobId],
			held.map(({ budgetId }) => budgetId),
		);
		const released = await tx.delete(copyHold).where(eq(copyHold.copyId, copy.id)).returning(getTableColumns(copyHold));
		await addToPeriods(
			tx,
			released.map(({ budgetId, periodKey, microUsd }) => ({ budgetId, periodKey, postedMicroUsd: 0n, heldMicroUsd: -microUsd })),
		);
		const charges = await chargesOf(tx, { id: copy.id, jobId, ...source }, bytes, nowMs);
		await postToBudgets(tx, charges, budgets);
		await postCharges(tx, charges, nowMs);
	});
}

async function chargesOf(
	tx: Tx,
	{ id, jobId, provider, region }: { id: string; jobId: string; provider: RatedProvider; region: string },
	bytes: bigint,
	nowMs: number,
): Promise<ChargeDraft[]> {
	const [work] = await tx.select({ team: job.team, project: job.project, class: job.class }).from(job).where(eq(job.id, jobId));
	if (!work || bytes === 0n) return [];
	const [microUsd = 0n] = await priceVolumes(tx, [{ provider, region, atMs: nowMs, bytes }]);
	if (microUsd === 0n) return [];
	const [cloud] = await tx.select({ id: site.id }).from(site).where(eq(site.provider, provider)).orderBy(asc(site.id)).limit(1);
	const dimensions = { ...work, siteId: cloud?.id ?? provider, provider, region, capacityType: "on_demand", accelerator: "" } as const;
	return [storedCharge({ artifactId: id, jobId, dimensions }, "egress", { fromMs: nowMs, toMs: nowMs + 1 }, microUsd)];
}
