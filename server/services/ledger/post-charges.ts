import { asc, inArray, sql } from "drizzle-orm";
import type { ChargeDraft } from "#server/accounting/amounts.ts";
import { type RollupDelta, rollupDeltas } from "#server/accounting/rollup.ts";
import type { Tx } from "#server/db/client.ts";
import { charge, rollup } from "#server/db/schema/charge.ts";
import { job } from "#server/db/schema/job.ts";
import { newId } from "#server/kernel/ids.ts";

/** Rows of one INSERT: a statement takes at most 65,535 parameters, and a charge has 24. */
const INSERT_ROWS = 1_000;

/**
 * The only way into the ledger: inserts the charges and adds them to their jobs' totals and to the rollups, in the
 * caller's transaction. Rollup rows are the last locks that it takes, and in one order, so writers that meet there
 * never wait in a circle; do nothing that waits after it.
 */
export async function postCharges(tx: Tx, drafts: readonly ChargeDraft[], nowMs: number): Promise<void> {
	if (drafts.length === 0) return;
	await addToJobs(tx, drafts);
	for (const rows of chunks(drafts, INSERT_ROWS)) await tx.insert(charge).values(rows.map((draft) => chargeRow(draft, nowMs)));
	for (const rows of chunks(rollupDeltas(drafts), INSERT_ROWS)) await addToRollups(tx, rows);
}

function chargeRow({ periodStartMs, periodEndMs, dimensions, ...rest }: ChargeDraft, nowMs: number): typeof charge.$inferInsert {
	return { id: newId("chg", nowMs), periodStart: new Date(periodStartMs), periodEnd: new Date(periodEndMs), ...dimensions, ...rest };
}

async function addToJobs(tx: Tx, drafts: readonly ChargeDraft[]): Promise<void> {
	const totals = new Map<string, { cost: bigint; emissions: bigint }>();
	for (const draft of drafts) {
		if (draft.jobId === null) continue;
		const sum = totals.get(draft.jobId) ?? { cost: 0n, emissions: 0n };
		totals.set(draft.jobId, { cost: sum.cost + draft.effectiveMicroUsd, emissions: sum.emissions + (draft.emissionsMilligrams ?? 0n) });
	}
	if (totals.size === 0) return;
	await tx
		.select({ id: job.id })
		.from(job)
		.where(inArray(job.id, [...totals.keys()]))
		.orderBy(asc(job.id))
		.for("no key update");
	const rows = [...totals].map(([id, sum]) => ({ id, cost: sum.cost.toString(), emissions: sum.emissions.toString() }));
	await tx.execute(sql`
		update job set cost_micro_usd = job.cost_micro_usd + add.cost, emissions_milligrams = job.emissions_milligrams + add.emissions
		from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as add(id text, cost bigint, emissions bigint)
		where job.id = add.id`);
}

async function addToRollups(tx: Tx, deltas: readonly RollupDelta[]): Promise<void> {
	const rows = deltas.map(({ bucketStartMs, dimensions, ...rest }) => ({ bucketStart: new Date(bucketStartMs), ...dimensions, ...rest }));
	await tx
		.insert(rollup)
		.values(rows)
		.onConflictDoUpdate({
			target: [
				...([rollup.granularity, rollup.bucketStart, rollup.team, rollup.project, rollup.class, rollup.siteId] as const),
				...([rollup.provider, rollup.region, rollup.capacityType, rollup.accelerator, rollup.kind] as const),
			],
			set: {
				gpuMs: sql`${rollup.gpuMs} + excluded.gpu_ms`,
				listMicroUsd: sql`${rollup.listMicroUsd} + excluded.list_micro_usd`,
				contractedMicroUsd: sql`${rollup.contractedMicroUsd} + excluded.contracted_micro_usd`,
				effectiveMicroUsd: sql`${rollup.effectiveMicroUsd} + excluded.effective_micro_usd`,
				billedMicroUsd: sql`${rollup.billedMicroUsd} + excluded.billed_micro_usd`,
				energyMilliWh: sql`${rollup.energyMilliWh} + excluded.energy_milli_wh`,
				emissionsMilligrams: sql`${rollup.emissionsMilligrams} + excluded.emissions_milligrams`,
				charges: sql`${rollup.charges} + excluded.charges`,
			},
		});
}

function* chunks<T>(rows: readonly T[], size: number): Generator<T[]> {
	for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
}
