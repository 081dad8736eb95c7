import { sql } from "drizzle-orm";
import { bucketStartMs, nextBucketStartMs } from "#server/accounting/calendar.ts";
import { cardCost, cardParts } from "#server/accounting/owned-cost.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { rateCard } from "#server/db/schema/rate-card.ts";
import type { OwnedRateCard } from "#server/domain/rate-card.ts";
import { mulDivFloor } from "#server/kernel/money.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { ledgerCalendar } from "../ledger/calendar.ts";

/** A busy and an idle GPU-hour under a card in one month, µ$: the share of the month's fixed cost, and its power. */
export interface GpuHourPrices {
	busyMicroUsd: bigint;
	idleMicroUsd: bigint;
}

export function gpuHourPrices(card: OwnedRateCard, calendar: Calendar, gpus: number, atMs: number): GpuHourPrices {
	const month = { fromMs: bucketStartMs("month", atMs, calendar), toMs: nextBucketStartMs("month", atMs, calendar) };
	const fixed = Object.values(cardParts(card, calendar, month)).reduce((sum: bigint, part: bigint) => sum + part, 0n);
	const gpuMs = BigInt(Math.max(gpus, 1)) * BigInt(month.toMs - month.fromMs);
	const share = mulDivFloor(fixed, BigInt(HOUR_MS), gpuMs).quotient;
	const cost = cardCost(card, calendar);
	return { busyMicroUsd: share + cost.powerPerHour("busy"), idleMicroUsd: share + cost.powerPerHour("idle") };
}

/**
 * What a busy GPU-hour of each pool costs now by the card in force, by `site/pool`; pools without a card have none.
 * Cost: one row a pool, by index.
 */
export async function busyPricesNow(
	db: DbOrTx,
	pools: readonly { siteId: string; id: string; nodes: number; gpusPerNode: number }[],
	nowMs: number,
): Promise<Map<string, bigint>> {
	const cards = await db
		.selectDistinctOn([rateCard.siteId, rateCard.poolId], { siteId: rateCard.siteId, poolId: rateCard.poolId, card: rateCard.card })
		.from(rateCard)
		.where(sql`${rateCard.effectiveFrom} <= ${new Date(nowMs).toISOString()}::timestamptz`)
		.orderBy(rateCard.siteId, rateCard.poolId, sql`${rateCard.effectiveFrom} desc, ${rateCard.createdAt} desc, ${rateCard.id} desc`);
	if (cards.length === 0) return new Map();
	const calendar = await ledgerCalendar(db);
	return new Map(
		cards.flatMap(({ siteId, poolId, card }) => {
			const pool = pools.find((p) => p.siteId === siteId && p.id === poolId);
			if (!pool) return [];
			return [[`${siteId}/${poolId}`, gpuHourPrices(card, calendar, pool.nodes * pool.gpusPerNode, nowMs).busyMicroUsd] as const];
		}),
	);
}
