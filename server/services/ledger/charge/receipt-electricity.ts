import { inArray } from "drizzle-orm";
import { electricityOf } from "#server/accounting/electricity.ts";
import { electricityOfCharges, type PoolElectricity } from "#server/accounting/receipt-electricity.ts";
import type { Db } from "#server/db/client.ts";
import { allocation } from "#server/db/schema/allocation.ts";
import type { Charge } from "#server/domain/charge.ts";
import type { HomeElectricity } from "#server/domain/home-electricity.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { electricityHoursOf } from "#server/services/pricing/owned/electricity-hours.ts";
import { cardsOfPool } from "#server/services/pricing/owned/pool-cards.ts";

/**
 * Input for the electricity price of a job at home. Cost: for each pool it ran in, the cards, and the hours from its first charge to its
 * last.
 */
export async function electricityOfJob(db: Db, charges: readonly Charge[]): Promise<HomeElectricity | null> {
	const held = charges.filter((c) => c.allocationId !== null && c.gpuMs !== 0n);
	const ids = [...new Set(held.flatMap((c) => c.allocationId ?? []))];
	if (ids.length === 0) return null;
	const pools = await db
		.select({ allocationId: allocation.id, siteId: allocation.siteId, poolId: allocation.poolId })
		.from(allocation)
		.where(inArray(allocation.id, ids));
	const range = { fromMs: Math.min(...held.map((c) => c.periodStartMs)), toMs: Math.max(...held.map((c) => c.periodEndMs)) };
	const calendar = await ledgerCalendar(db);
	const known = new Map<string, PoolElectricity>();
	for (const { siteId, poolId } of pools) {
		const key = `${siteId}/${poolId}`;
		if (known.has(key)) continue;
		const cards = await cardsOfPool(db, { siteId, poolId });
		known.set(key, {
			cards: cards.map(({ effectiveFromMs, card }) => ({ fromMs: effectiveFromMs, electricity: electricityOf(card.power, calendar) })),
			hours: await electricityHoursOf(db, siteId, range),
		});
	}
	const poolOf = new Map(pools.map((p) => [p.allocationId, known.get(`${p.siteId}/${p.poolId}`) ?? null]));
	return electricityOfCharges(held, (allocationId) => poolOf.get(allocationId) ?? null);
}
