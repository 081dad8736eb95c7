import { index, integer, pgTable, real, text } from "drizzle-orm/pg-core";
import { instant, microUsd } from "./columns.ts";
import { capacityType, provider } from "./enums.ts";

/** The newest observation of each offer, with what we learned from asking for it. */
export const offer = pgTable(
	"offer",
	{
		id: text().primaryKey(),
		siteId: text().notNull(),
		provider: provider().notNull(),
		region: text().notNull(),
		zone: text(),
		instanceType: text().notNull(),
		accelerator: text().notNull(),
		gpus: integer().notNull(),
		vcpus: integer().notNull(),
		memoryGiB: real().notNull(),
		capacityType: capacityType().notNull(),
		microUsdPerHour: microUsd(),
		onDemandMicroUsdPerHour: microUsd(),
		priceObservedAt: instant().notNull(),
		priceSource: text().notNull(),
		/** When the provider last listed it at all. */
		seenAt: instant().notNull(),
		backoffUntil: instant(),
		backoffReason: text({ enum: ["insufficient_capacity", "quota_exceeded"] }),
		/** Refusals in a row, for the back-off's length. */
		refusals: integer().notNull().default(0),
	},
	(t) => [index("offer_site").on(t.siteId)],
);

/** Prices as they changed, for charts and later replays. */
export const offerPrice = pgTable(
	"offer_price",
	{
		offerId: text().notNull(),
		observedAt: instant().notNull(),
		microUsdPerHour: microUsd().notNull(),
	},
	(t) => [index("offer_price_time").on(t.offerId, t.observedAt.desc().nullsFirst())],
);
