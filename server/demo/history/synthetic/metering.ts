import { billingTermsOf } from "#server/accounting/billing-terms.ts";
import { diskTermsOf } from "#server/accounting/disk.ts";
import { meterUsage } from "#server/accounting/meter-usage.ts";
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
}
