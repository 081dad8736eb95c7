import { z } from "zod";
import { instant, integerText } from "../parts.ts";

export const rateCardSchema = z
	.object({
		id: z.string(),
		effectiveFrom: z.string(),
		card: z.object({
			assets: z.array(
				z.object({
					id: z.string(),
					name: z.string(),
					inServiceOn: z.string(),
					priceUsd: z.string(),
					residualUsd: z.string(),
					lifeMonths: z.number(),
					method: z.discriminatedUnion("kind", [
						z.object({
							kind: z.literal("straight_line"),
						}),
						z.object({
							kind: z.literal("declining_balance"),
							ratePerYear: z.string(),
						}),
					]),
					embodiedKg: z.string().nullable(),
					source: z.string().nullable(),
				}),
			),
			power: z.object({
				busyWattsPerGpu: z.string(),
				idleWattsPerGpu: z.string(),
				pue: z.string(),
				electricityUsdPerKwh: z.string(),
				contractGramsPerKwh: z.string().nullable(),
				electricityHours: z
					.array(
						z.object({
							fromHour: z.number(),
							toHour: z.number(),
							usdPerKwh: z.string(),
							days: z.array(z.enum(["mon", "tue", "wed", "thu", "fri", "sat", "sun"])).optional(),
						}),
					)
					.optional(),
				measured: z
					.object({
						kwh: z.string(),
						from: z.string(),
						to: z.string(),
					})
					.optional(),
			}),
			perYear: z.object({
				rackUsd: z.string(),
				networkUsd: z.string(),
				supportUsd: z.string(),
				staffUsd: z.string(),
			}),
		}),
		message: z.string(),
		author: z.string(),
		createdAt: instant,
	})
	.meta({ id: "RateCard" });

export const poolMonthSchema = z
	.object({
		from: z.string(),
		to: z.string(),
		depreciationMicroUsd: integerText,
		rackMicroUsd: integerText,
		networkMicroUsd: integerText,
		supportMicroUsd: integerText,
		staffMicroUsd: integerText,
		hours: z.number(),
		hoursPriced: z.number(),
		electricitySources: z.array(z.string()),
		busyMicroUsdPerGpuHour: integerText,
		idleMicroUsdPerGpuHour: integerText,
	})
	.meta({ id: "PoolMonth" });

export const poolRatesSchema = z
	.object({
		siteId: z.string(),
		poolId: z.string(),
		accelerator: z.string(),
		gpus: z.number(),
		flatMicroUsdPerGpuHour: integerText,
		current: rateCardSchema.nullable(),
		month: poolMonthSchema.nullable(),
		history: z.array(rateCardSchema),
	})
	.meta({ id: "PoolRates" });

export const correctedSchema = z
	.object({
		corrections: z.number(),
		correctedMicroUsd: integerText,
	})
	.meta({ id: "Corrected" });

export const rateCardSetSchema = correctedSchema
	.extend({
		id: z.string(),
		effectiveFrom: z.string(),
	})
	.meta({ id: "RateCardSet" });

export const measuredPowerSetSchema = correctedSchema
	.extend({
		estimatedKwh: z.string(),
		cards: z.array(
			z.object({
				effectiveFrom: z.string(),
				busyWattsPerGpu: z.string(),
				idleWattsPerGpu: z.string(),
			}),
		),
	})
	.meta({ id: "MeasuredPowerSet" });

export const electricityHourSchema = z
	.object({
		from: z.string(),
		usdPerKwh: z.string(),
		source: z.string(),
	})
	.meta({ id: "ElectricityHour" });

export const electricityPricesSetSchema = correctedSchema
	.extend({
		from: z.string(),
		to: z.string(),
		added: z.number(),
		replaced: z.number(),
		unchanged: z.number(),
	})
	.meta({ id: "ElectricityPricesSet" });

export const discountSchema = z
	.object({
		id: z.string(),
		siteId: z.string(),
		capacityType: z.enum(["spot", "on_demand"]),
		percent: z.string(),
		instanceFamilies: z.array(z.string()),
		regions: z.array(z.string()),
		from: z.string(),
		to: z.string().nullable(),
		source: z.string(),
		offersNow: z.number(),
	})
	.meta({ id: "Discount" });

export const commitmentSchema = z
	.object({
		id: z.string(),
		siteId: z.string(),
		kind: z.enum(["commitment", "reservation"]),
		region: z.string().nullable(),
		instanceType: z.string(),
		zone: z.string().nullable(),
		reservation: z.string().nullable(),
		accelerator: z.string(),
		instances: z.number(),
		upfrontMicroUsd: integerText,
		hourlyMicroUsd: integerText,
		from: z.string(),
		to: z.string(),
	})
	.meta({ id: "Commitment" });
