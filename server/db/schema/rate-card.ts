import { index, pgTable, text } from "drizzle-orm/pg-core";
import type { OwnedRateCard } from "../../domain/rate-card.ts";
import { instant, json } from "./columns.ts";

/**
 * What an owned pool costs, from `effectiveFrom` on until the next card of that pool. Insert-only; of two for one instant the newer
 * counts.
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
