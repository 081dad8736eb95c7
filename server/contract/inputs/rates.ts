import { z } from "zod";
import { ownedRateCardSchema } from "#server/domain/rate-card.ts";
import { entityId } from "../parts.ts";

export const electricityPricesInput = z.strictObject({
	/** The file's text: csv with ts and usd_per_kwh, or usd_per_mwh. */
	text: z.string().min(1),
	/** Source of the prices, for display. */
	message: z.string().trim().min(1).max(500),
});

/** The card, its effective time, and the reason. */
export const rateCardInput = z.strictObject({
	/** An instant, or a date of the ledger's calendar for the start of that day. Default: now. */
	effectiveFrom: z.union([z.iso.date(), z.iso.datetime({ offset: true })]).optional(),
	message: z.string().min(1).max(500),
	card: ownedRateCardSchema,
});

const moment = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

/** A reading at a pool's machines: at their plugs, before PUE. */
export const measuredPowerInput = z.strictObject({
	/** Instants, or dates of the ledger's calendar for the start of that day. */
	from: moment,
	to: moment,
	/** Energy of all the pool's machines between the two. */
	kwh: z.string().regex(/^\d+(\.\d{1,6})?$/, "kilowatt-hours, a decimal with at most six places"),
	/** Where it was read. Kept for auditors. */
	message: z.string().min(1).max(500),
});

/** `abort`: refinements of the whole object read it as a number. */
const micro = z.string().regex(/^\d{1,18}$/, { abort: true });

export const commitmentInput = z
	.strictObject({
		id: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
		siteId: z.string().min(1).max(64),
		kind: z.enum(["reservation", "commitment"]),
		region: z.string().min(1).max(64).nullable(),
		instanceType: z.string().min(1).max(64),
		/** A reservation's own zone, where its machines are launched. */
		zone: z.string().min(1).max(64).nullable().default(null),
		/** The provider's name of a reservation that only takes machines launched into it; without it the provider matches them. */
		reservation: z
			.string()
			.regex(/^[a-zA-Z0-9/_.-]{1,256}$/)
			.nullable()
			.default(null),
		accelerator: z.string().min(1).max(64),
		instances: z.number().int().min(1).max(100_000),
		/** For all its machines together. */
		upfrontMicroUsd: micro,
		hourlyMicroUsd: micro,
		from: z.iso.datetime({ offset: true }),
		to: z.iso.datetime({ offset: true }),
	})
	.refine((c) => c.zone === null || c.region !== null, { path: ["region"], message: "needs a region for its zone" })
	.refine((c) => Date.parse(c.from) < Date.parse(c.to), { path: ["to"], message: "must be after from" })
	.refine((c) => BigInt(c.upfrontMicroUsd) + BigInt(c.hourlyMicroUsd) > 0n, {
		path: ["hourlyMicroUsd"],
		message: "must have a cost",
	});

export const commitmentsInput = z
	.strictObject({ items: z.array(commitmentInput).max(1_000) })
	.refine(({ items }) => new Set(items.map((c) => c.id)).size === items.length, { path: ["items"], message: "two have one id" });

const pattern = z.string().min(1).max(100);

export const discountInput = z
	.strictObject({
		id: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
		siteId: z.string().min(1).max(64),
		capacityType: z.enum(["on_demand", "spot"]),
		/** Percent off the provider's price, above 0 and below 100. */
		percent: z
			.string()
			.regex(/^\d{1,2}(\.\d{1,4})?$/, "a percentage above 0 and below 100 with at most four decimals, as text")
			.refine((text) => Number(text) > 0, "a discount is more than nothing"),
		/** Like `instanceFamilies` of a policy; empty: every type. */
		instanceFamilies: z.array(pattern).max(100).default([]),
		/** Like `regions` of a policy; empty: every region. */
		regions: z.array(pattern).max(100).default([]),
		from: z.iso.datetime({ offset: true }),
		to: z.iso.datetime({ offset: true }).nullable().default(null),
		/** Where it is written. */
		source: z.string().trim().min(1).max(500),
	})
	.refine((d) => d.to === null || Date.parse(d.from) < Date.parse(d.to), { path: ["to"], message: "must be after from" });

export const discountsInput = z
	.strictObject({ items: z.array(discountInput).max(1_000) })
	.refine(({ items }) => new Set(items.map((d) => d.id)).size === items.length, { path: ["items"], message: "two have one id" });

/** An owned pool. */
export const poolInput = z.strictObject({ siteId: entityId, poolId: entityId });
