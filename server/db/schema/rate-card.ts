import { index, pgTable, text } from "drizzle-orm/pg-core";
import type { OwnedRateCard } from "../../domain/rate-card.ts";
import { instant, json } from "./columns.ts";

/**
 * Cost of an owned pool, from `effectiveFrom` until the pool's next card. Insert-only; of two with the same effective
 * time, the newer one wins.
 */
export const rateCard = pgTable(
	"rate_card",
	{
		id: text().primaryKey(),
		siteId: text().notNull(),
		poolId: text().notNull(),
		effectiveFrom: instant().notNull(),
		card: json<OwnedRateCard>().notNull(),
		message: text().notNull(),
		author: text().notNull(),
		createdAt: instant().notNull(),
	},
	(t) => [index("rate_card_pool").on(t.siteId, t.poolId, t.effectiveFrom)],
);
