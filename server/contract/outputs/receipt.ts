import { z } from "zod";
import { CHARGE_KINDS } from "#server/domain/charge.ts";
import { REMOVAL_CODES } from "#server/domain/decision.ts";
import { ATTEMPT_STATES } from "#server/domain/states.ts";
import { integerText } from "../parts.ts";
import { placementSchema } from "./shared.ts";

export const receiptLineSchema = z
	.object({
		kind: z.enum(CHARGE_KINDS),
		causeId: z.string(),
		fromMs: z.number(),
		toMs: z.number(),
		status: z.enum(["posted", "metered"]),
		gpuMs: integerText,
		costMicroUsd: integerText,
		listMicroUsd: integerText,
		energyMilliWh: integerText,
		emissionsMilligrams: integerText.nullable(),
	})
	.meta({ id: "ReceiptLine" });

export const receiptTotalsSchema = z
	.object({
		gpuMs: integerText,
		costMicroUsd: integerText,
		listMicroUsd: integerText,
		energyMilliWh: integerText,
		measuredEnergyMilliWh: integerText,
		hourlyGridMilliWh: integerText,
		emissionsMilligrams: integerText.nullable(),
		marketEmissionsMilligrams: integerText.nullable(),
		embodiedMilligrams: integerText.nullable(),
	})
	.meta({ id: "ReceiptTotals" });

export const receiptAttemptSchema = z
	.object({
		attemptId: z.string(),
		number: z.number(),
		state: z.enum(ATTEMPT_STATES),
		placement: placementSchema,
		lines: z.array(receiptLineSchema),
		totals: receiptTotalsSchema,
	})
	.meta({ id: "ReceiptAttempt" });

export const carbonIntensitySchema = z
	.object({
		milligramsPerGpuHour: integerText.nullable(),
		milligramsPerJob: integerText.nullable(),
	})
	.meta({ id: "CarbonIntensity" });

export const receiptAlternativeSchema = z
	.object({
		way: z.enum(["spot", "on_demand", "at_home"]),
		placement: placementSchema,
		estimate: z.literal("same_machine_time_at_price_when_decided"),
		costMicroUsd: integerText,
		storageMicroUsd: integerText.nullable(),
		cashMicroUsd: integerText,
		startP50Ms: z.number(),
		decidedAtMs: z.number(),
		removedBy: z
			.object({
				ruleId: z.string().nullable(),
				why: z.enum(REMOVAL_CODES),
				facts: z.record(z.string(), z.union([z.boolean(), z.string(), z.number()]).nullable()),
			})
			.nullable(),
	})
	.meta({ id: "ReceiptAlternative" });

export const receiptSchema = z
	.object({
		jobId: z.string(),
		attempts: z.array(receiptAttemptSchema),
		totals: receiptTotalsSchema,
		electricity: z
			.object({
				hourly: z
					.object({
						ms: z.number(),
						microUsdPerKwh: integerText,
					})
					.nullable(),
				card: z
					.object({
						ms: z.number(),
						microUsdPerKwh: integerText,
					})
					.nullable(),
				sources: z.array(z.string()),
			})
			.nullable(),
		carbon: carbonIntensitySchema,
		results: z.array(receiptLineSchema).meta({ description: "Storage and egress of the results, by result; they belong to no attempt." }),
		kept: z
			.object({
				count: z.number().int(),
				bytes: integerText,
				microUsdPerMonth: integerText.meta({ description: "Storage cost per month at current prices." }),
				unpricedBytes: integerText.meta({ description: "Bytes in stores without a price; their cost is not included." }),
				untilMs: z.number().nullable().meta({ description: "When the last of it is deleted; null: no time is set." }),
			})
			.nullable()
			.meta({ description: "Results that stores keep for the job; null: none." }),
		alternatives: z.array(receiptAlternativeSchema),
	})
	.meta({ id: "Receipt" });
