import { billingTermsOf } from "#server/accounting/billing-terms.ts";
import { diskTermsOf } from "#server/accounting/disk.ts";
import { meterPool, type OwnedUse } from "#server/accounting/meter-pool.ts";
import { meterUsage } from "#server/accounting/meter-usage.ts";
import { UTC } from "#server/accounting/zone.ts";
import type { SimContext } from "./context.ts";
import type { InstanceRecord } from "./records.ts";

/** Charges one instance up to now or its end and posts it to its hold, as services/ledger does. */
export function meterInstance(ctx: SimContext, row: InstanceRecord): void {
	const nowMs = ctx.nowMs();
	const ended = row.terminatedAtMs !== null;
	if (row.launchedAtMs === null) {
		if (ended) ctx.budgets.post(row.id, [], true, nowMs);
		return;
	}
	const { spec } = ctx.book.jobOf(row);
	const { offer } = row;
	const { charges, meteredUntilMs } = meterUsage(
		{
			startMs: row.launchedAtMs,
			endMs: row.terminatedAtMs,
			prices: [
				{
					fromMs: row.launchedAtMs,
					microUsdPerHour: row.microUsdPerHour,
					listMicroUsdPerHour: offer.onDemandMicroUsdPerHour ?? row.microUsdPerHour,
				},
			],
			terms: billingTermsOf(offer.provider),
			disk:
				typeof offer.disk?.microUsdPerMonth === "bigint"
					? { microUsdPerMonth: offer.disk.microUsdPerMonth, terms: diskTermsOf(offer.provider) }
					: undefined,
			gpus: offer.gpus,
			power: {
				wattsPerGpu: ctx.scenario.boardWatts[offer.accelerator] ?? null,
				pue: offer.pue,
				gramsPerKwh: offer.gridGramsPerKwh,
				load: "busy",
			},
			dimensions: {
				team: spec.team,
				project: spec.project ?? "",
				class: spec.class,
				siteId: offer.siteId,
				provider: offer.provider,
				region: offer.region,
				capacityType: offer.capacityType,
				accelerator: offer.accelerator,
			},
			cause: { jobId: row.jobId, attemptId: row.attemptId, instanceId: row.id, allocationId: null, poolId: null },
		},
		row.meteredUntilMs,
		nowMs,
	);
	row.meteredUntilMs = meteredUntilMs;
	row.costMicroUsd += charges.reduce((sum, c) => sum + c.effectiveMicroUsd, 0n);
	const settled = row.terminatedAtMs !== null && meteredUntilMs >= row.terminatedAtMs;
	ctx.budgets.post(
		row.id,
		charges.map((c) => ({ atMs: c.periodStartMs, microUsd: c.effectiveMicroUsd })),
		settled,
		nowMs,
	);
	ctx.sink.charges(charges);
}

/** Charges all use and idle time of the owned pools up to now, once, at the end of a run. */
export function meterPools(ctx: SimContext): void {
	for (const pool of ctx.scenario.pools) {
		const uses = ctx.book.allocations
			.filter((a) => a.poolId === pool.id)
			.map((a): OwnedUse => {
				const { spec } = ctx.book.jobOf(a);
				return {
					allocationId: a.id,
					jobId: a.jobId,
					attemptId: a.attemptId,
					slots: a.slots,
					microUsdPerGpuHour: a.microUsdPerGpuHour,
					startMs: a.startedAtMs,
					endMs: a.endedAtMs,
					meteredUntilMs: null,
					work: { team: spec.team, project: spec.project ?? "", class: spec.class },
				};
			});
		const owned = {
			poolId: pool.id,
			gpus: pool.nodes * pool.gpusPerNode,
			microUsdPerGpuHour: pool.microUsdPerGpuHour,
			cards: [],
			calendar: UTC,
			ownedSinceMs: pool.ownedSinceMs,
			idleMeteredUntilMs: null,
			power: { wattsPerGpu: pool.wattsPerGpu, pue: pool.pue, gramsPerKwh: pool.gridGramsPerKwh },
			place: { siteId: pool.siteId, provider: pool.provider, region: "", accelerator: pool.accelerator },
		};
		ctx.sink.charges(meterPool(owned, uses, ctx.nowMs()).charges);
	}
}
