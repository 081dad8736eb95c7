import { index, integer, pgTable, real, text } from "drizzle-orm/pg-core";
import type { MachineDisk, OfferQuota } from "../../domain/capacity.ts";
import { instant, json, microUsd } from "./columns.ts";
import { capacityType, provider } from "./enums.ts";

/** A disk as rows keep it, money as a decimal string. */
export type StoredDisk = Omit<MachineDisk, "microUsdPerMonth"> & { microUsdPerMonth: string | null };

/** The latest observation of each offer, with results of launch requests. */
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
		/** The disk its machines are launched with; null: unspecified by its driver. */
		disk: json<StoredDisk | null>(),
		/** The account's quota, as read with the offer; null: unknown. */
		quota: json<OfferQuota | null>(),
		/** When the provider last listed it. */
		seenAt: instant().notNull(),
		backoffUntil: instant(),
		backoffReason: text({ enum: ["insufficient_capacity", "quota_exceeded"] }),
		/** Consecutive rejections, for the length of the back-off. */
		refusals: integer().notNull().default(0),
	},
	(t) => [index("offer_site").on(t.siteId)],
);

/** Price changes, for charts and later replays. */
export const offerPrice = pgTable(
	"offer_price",
	{
		offerId: text().notNull(),
		observedAt: instant().notNull(),
		microUsdPerHour: microUsd().notNull(),
	},
	(t) => [index("offer_price_time").on(t.offerId, t.observedAt.desc().nullsFirst())],
);
