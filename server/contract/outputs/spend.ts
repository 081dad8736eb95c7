import { z } from "zod";
import { CHARGE_CORRECTIONS, CHARGE_KINDS } from "#server/domain/charge.ts";
import { VARIANCE_CAUSES } from "#server/domain/variance-cause.ts";
import { CAPACITY_TYPES, PROVIDERS } from "#server/domain/vocabulary.ts";
import { integerText } from "../parts.ts";

export const spendSumsSchema = z
	.object({
		ownedMicroUsd: integerText,
		idleMicroUsd: integerText,
		cloudMicroUsd: integerText,
		totalMicroUsd: integerText,
		spotMicroUsd: integerText,
		onDemandMicroUsd: integerText,
		reservedMicroUsd: integerText,
		gpuMs: integerText,
		ownedGpuMs: integerText,
		cloudGpuMs: integerText,
		spotGpuMs: integerText,
		onDemandGpuMs: integerText,
		reservedGpuMs: integerText,
		idleGpuMs: integerText,
		energyMilliWh: integerText,
		emissionsMilligrams: integerText,
	})
	.meta({ id: "SpendSums" });

/** In millionths of the reporting currency. */
const convertedSpendSchema = z
	.object({ ownedMicro: integerText, idleMicro: integerText, cloudMicro: integerText, totalMicro: integerText })
	.meta({ id: "ConvertedSpend" });

/** `from`, `to`: dates of the first and last rate used. */
export const ratesUsedSchema = z
	.object({ currency: z.string(), from: z.string().nullable(), to: z.string().nullable(), sources: z.array(z.string()) })
	.meta({ id: "RatesUsed" });

export const spendSchema = z
	.object({
		fromMs: z.number(),
		toMs: z.number(),
		zone: z.string(),
		groupBy: z.enum([
			"site",
			"project",
			"class",
			"provider",
			"region",
			"accelerator",
			"kind",
			"month",
			"team",
			"day",
			"week",
			"capacityType",
		]),
		items: z.array(
			spendSumsSchema.extend({
				key: z.string(),
				converted: convertedSpendSchema.optional(),
			}),
		),
		totals: spendSumsSchema.extend({ converted: convertedSpendSchema.optional() }),
		/** The rates used for `converted`; absent in US dollars. */
		rates: ratesUsedSchema.optional(),
	})
	.meta({ id: "Spend" });

export const jobSpendSchema = z
	.object({
		fromMs: z.number(),
		toMs: z.number(),
		zone: z.string(),
		groupBy: z.literal("job"),
		items: z.array(
			z.object({
				key: z.string(),
				name: z.string(),
				team: z.string(),
				project: z.string(),
				class: z.string(),
				state: z.string(),
				totalMicroUsd: integerText,
				listMicroUsd: integerText,
				billedMicroUsd: integerText,
				gpuMs: integerText,
				energyMilliWh: integerText,
				emissionsMilligrams: integerText,
				charges: z.number(),
			}),
		),
		nextCursor: z.string().nullable(),
	})
	.meta({ id: "JobSpend" });

export const interval = z.object({ fromMs: z.number(), toMs: z.number() });

export const varianceSchema = z
	.object({
		after: interval,
		before: interval,
		beforeMicroUsd: integerText,
		afterMicroUsd: integerText,
		byCause: z.record(z.enum(VARIANCE_CAUSES), integerText),
		parts: z.array(
			z.object({
				cause: z.enum(VARIANCE_CAUSES),
				team: z.string(),
				project: z.string(),
				microUsd: integerText,
				beforeGpuMs: integerText,
				afterGpuMs: integerText,
			}),
		),
		sentence: z.string().nullable(),
	})
	.meta({ id: "Variance" });

export const chargeDimensionsSchema = z
	.object({
		team: z.string(),
		project: z.string(),
		class: z.enum(["", "burst", "baseline", "experimental", "sensitive", "batch_inference"]),
		siteId: z.string(),
		provider: z.enum(PROVIDERS),
		region: z.string(),
		capacityType: z.enum(CAPACITY_TYPES),
		accelerator: z.string(),
		kind: z.enum(CHARGE_KINDS),
	})
	.meta({ id: "ChargeDimensions" });

export const chargeSchema = z
	.object({
		id: z.string(),
		periodStartMs: z.number(),
		periodEndMs: z.number(),
		dimensions: chargeDimensionsSchema,
		jobId: z.string().nullable(),
		attemptId: z.string().nullable(),
		instanceId: z.string().nullable(),
		allocationId: z.string().nullable(),
		poolId: z.string().nullable(),
		billLineId: z.string().nullable(),
		artifactId: z.string().nullable(),
		correction: z.enum(CHARGE_CORRECTIONS).nullable(),
		gpuMs: integerText,
		listMicroUsd: integerText,
		contractedMicroUsd: integerText,
		effectiveMicroUsd: integerText,
		billedMicroUsd: integerText,
		energyMilliWh: integerText,
		measuredEnergyMilliWh: integerText,
		hourlyGridMilliWh: integerText,
		emissionsMilligrams: integerText.nullable(),
		marketEmissionsMilligrams: integerText.nullable(),
		embodiedMilligrams: integerText.nullable(),
	})
	.meta({ id: "Charge" });

export const namedChargeSchema = chargeSchema
	.extend({
		jobName: z.string().nullable(),
	})
	.meta({ id: "NamedCharge" });

export const chargeLineSchema = namedChargeSchema
	.extend({
		cause: z.object({
			kind: z.enum(["instance", "allocation", "pool", "bill_line", "artifact"]),
			id: z.string(),
		}),
	})
	.meta({ id: "ChargeLine" });

export const chargeTotalsSchema = z
	.object({
		gpuMs: integerText,
		listMicroUsd: integerText,
		contractedMicroUsd: integerText,
		effectiveMicroUsd: integerText,
		billedMicroUsd: integerText,
		energyMilliWh: integerText,
		measuredEnergyMilliWh: integerText,
		hourlyGridMilliWh: integerText,
		emissionsMilligrams: integerText,
		embodiedMilligrams: integerText,
		emissionsUnknownGpuMs: integerText,
		embodiedUnknownGpuMs: integerText,
		charges: integerText,
	})
	.meta({ id: "ChargeTotals" });

export const closedVersionSchema = z
	.object({
		month: z.string(),
		team: z.string(),
		version: z.number(),
	})
	.meta({ id: "ClosedVersion" });

export const cutSchema = z
	.object({
		atMs: z.number(),
		statement: closedVersionSchema.nullable(),
	})
	.meta({ id: "Cut" });

export const chargePageSchema = z
	.object({
		fromMs: z.number(),
		toMs: z.number(),
		zone: z.string(),
		items: z.array(chargeLineSchema),
		nextCursor: z.string().nullable(),
		totals: chargeTotalsSchema,
		asOf: cutSchema.nullable(),
		since: cutSchema.nullable(),
		later: z
			.object({
				effectiveMicroUsd: integerText,
				charges: integerText,
			})
			.nullable(),
		budget: z
			.object({
				id: z.string(),
				postedMicroUsd: integerText,
			})
			.nullable(),
		may: z.object({
			refund: z.boolean(),
		}),
	})
	.meta({ id: "ChargePage" });

export const refundSchema = z
	.object({
		chargeId: z.string(),
		refundedMicroUsd: integerText,
		leftMicroUsd: integerText,
	})
	.meta({ id: "Refund" });

export const ledgerCheckSchema = z
	.object({
		checkedAtMs: z.number(),
		tookMs: z.number(),
		ok: z.boolean(),
		charges: z.number(),
		differenceCount: z.number(),
		differences: z.array(
			z.object({
				granularity: z.string(),
				bucketStartMs: z.number(),
				dimensions: z.string(),
				column: z.string(),
				rollup: z.string(),
				charges: z.string(),
			}),
		),
	})
	.meta({ id: "LedgerCheck" });
