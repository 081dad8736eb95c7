import { and, asc, eq } from "drizzle-orm";
import { type CardCost, cardCost, type EffectiveCard } from "#server/accounting/owned-cost.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { rateCard } from "#server/db/schema/rate-card.ts";
import type { OwnedRateCard } from "#server/domain/rate-card.ts";

export interface PoolKey {
	siteId: string;
	poolId: string;
}

/** A past, current or future rate card of a pool. */
export interface PoolCard {
	id: string;
	effectiveFromMs: number;
	card: OwnedRateCard;
}

/** Cards never change once written, so values computed from one stay valid. */
const COSTS_MAX = 500;
const costs = new Map<string, CardCost>();

/** The cards of a pool by start time; for two with the same start, only the newer. */
export async function cardsOfPool(db: DbOrTx, { siteId, poolId }: PoolKey): Promise<PoolCard[]> {
	const rows = await db
		.select({ id: rateCard.id, effectiveFrom: rateCard.effectiveFrom, card: rateCard.card })
		.from(rateCard)
		.where(and(eq(rateCard.siteId, siteId), eq(rateCard.poolId, poolId)))
		.orderBy(asc(rateCard.effectiveFrom), asc(rateCard.createdAt), asc(rateCard.id));
	return rows
		.map((row) => ({ id: row.id, effectiveFromMs: row.effectiveFrom.getTime(), card: row.card }))
		.filter((row, i, all) => all[i + 1]?.effectiveFromMs !== row.effectiveFromMs);
}

/** The same, in the form that the meter needs. */
export async function effectiveCards(db: DbOrTx, key: PoolKey, calendar: Calendar): Promise<EffectiveCard[]> {
	return (await cardsOfPool(db, key)).map(({ id, effectiveFromMs, card }) => ({
		fromMs: effectiveFromMs,
		cost: costOf(id, card, calendar),
	}));
}

function costOf(id: string, card: OwnedRateCard, calendar: Calendar): CardCost {
	const key = `${id}/${calendar.zone}`;
	const known = costs.get(key);
	if (known) return known;
	const cost = cardCost(card, calendar);
	if (costs.size >= COSTS_MAX) costs.clear();
	costs.set(key, cost);
	return cost;
}
