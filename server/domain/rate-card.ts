import { z } from "zod";

const date = z.iso.date();
const DECIMAL_RULE = 'must be a decimal in quotes with at most six places, such as "0.23"';
/** Money as written in a card: a decimal with at most six places. */
const usd = z.string().regex(/^\d+(\.\d{1,6})?$/, DECIMAL_RULE);
const decimal = z.string().regex(/^\d+(\.\d{1,6})?$/, DECIMAL_RULE);

/** A purchased, depreciating asset: nodes, a rack, a switch. */
export const ownedAssetSchema = z.strictObject({
	id: z.string().min(1).max(64),
	name: z.string().min(1).max(200),
	/** First day in service, in the ledger's calendar; it costs from the start of this day. */
	inServiceOn: date,
	priceUsd: usd,
	/** Residual value at the end of its life. */
	residualUsd: usd.default("0"),
	lifeMonths: z.number().int().min(1).max(600),
	/** `declining_balance` writes off `ratePerYear` of the book value each year, down to the residual value. */
	method: z.discriminatedUnion("kind", [
		z.strictObject({ kind: z.literal("straight_line") }),
		z.strictObject({ kind: z.literal("declining_balance"), ratePerYear: decimal }),
	]),
	/** Manufacturing emissions, kg CO2e; null when not published. */
	embodiedKg: decimal.nullable().default(null),
	source: z.string().max(500).nullable().default(null),
});
export type OwnedAsset = z.infer<typeof ownedAssetSchema>;

/** Hours of a tariff, by the clocks of the ledger's calendar. */
const electricityHoursSchema = z
	.strictObject({
		/** Absent: every day. */
		days: z
			.array(z.enum(["mon", "tue", "wed", "thu", "fri", "sat", "sun"]))
			.min(1)
			.max(7)
			.optional(),
		fromHour: z.number().int().min(0).max(23),
		/** 24: up to midnight. A tariff across midnight needs two entries. */
		toHour: z.number().int().min(1).max(24),
		usdPerKwh: usd,
	})
	.refine(({ fromHour, toHour }) => fromHour < toHour, { path: ["toHour"], message: "must be after fromHour" });
export type ElectricityHours = z.infer<typeof electricityHoursSchema>;

/** Cost of a pool of owned GPUs. All GPUs of the pool share its assets and running cost evenly. */
export const ownedRateCardSchema = z.strictObject({
	assets: z.array(ownedAssetSchema).max(1_000),
	/** Power drawn by the pool's machines per GPU, including the host's share, W. */
	power: z.strictObject({
		busyWattsPerGpu: decimal,
		idleWattsPerGpu: decimal,
		pue: decimal,
		electricityUsdPerKwh: usd,
		/** Price in these hours; if entries overlap, the first one wins. */
		electricityHours: z.array(electricityHoursSchema).max(50).optional(),
		/**
		 * Energy measured at the machines, before PUE, in a period that this card covers in full or in part. The card's
		 * watts are set to match it for the busy and idle time of that period. Absent: the watts are estimates.
		 */
		measured: z.strictObject({ kwh: decimal, from: z.iso.datetime(), to: z.iso.datetime() }).optional(),
		/**
		 * Emission factor of the power contract, g CO2e/kWh (market-based); null: no contract known; the grid's residual
		 * mix is not assumed.
		 */
		contractGramsPerKwh: decimal.nullable().default(null),
	}),
	/** Per year, spread evenly over its hours. */
	perYear: z.strictObject({ rackUsd: usd, networkUsd: usd, supportUsd: usd, staffUsd: usd }),
});
export type OwnedRateCard = z.infer<typeof ownedRateCardSchema>;
