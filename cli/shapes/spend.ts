import { z } from "zod";
import { removal } from "./decision.ts";
import { micro, placement } from "./parts.ts";

const sums = {
	ownedMicroUsd: micro,
	idleMicroUsd: micro,
	cloudMicroUsd: micro,
	totalMicroUsd: micro,
	gpuMs: micro,
	emissionsMilligrams: micro,
};

export const spendShape = z.looseObject({
	fromMs: z.number(),
	toMs: z.number(),
	groupBy: z.string(),
	items: z.array(z.looseObject({ key: z.string(), ...sums })),
	totals: z.looseObject(sums),
});

export const jobSpendShape = z.looseObject({
	fromMs: z.number(),
	toMs: z.number(),
	items: z.array(
		z.looseObject({
			...{ key: z.string(), name: z.string(), team: z.string(), state: z.string() },
			...{ totalMicroUsd: micro, gpuMs: micro, emissionsMilligrams: micro },
		}),
	),
	nextCursor: z.string().nullable(),
});

export const chargesShape = z.looseObject({
	fromMs: z.number(),
	toMs: z.number(),
	items: z.array(
		z.looseObject({
			id: z.string(),
			periodStartMs: z.number(),
			periodEndMs: z.number(),
			dimensions: z.looseObject({ team: z.string(), region: z.string(), provider: z.string(), capacityType: z.string(), kind: z.string() }),
			cause: z.looseObject({ kind: z.string(), id: z.string() }),
			jobName: z.string().nullable(),
			gpuMs: micro,
			effectiveMicroUsd: micro,
			billedMicroUsd: micro,
		}),
	),
	nextCursor: z.string().nullable(),
	totals: z.looseObject({ charges: micro, effectiveMicroUsd: micro, billedMicroUsd: micro, gpuMs: micro }),
	later: z.looseObject({ charges: micro, effectiveMicroUsd: micro }).nullish(),
	budget: z.looseObject({ id: z.string(), postedMicroUsd: micro }).nullish(),
});

export const refundShape = z.looseObject({ chargeId: z.string(), refundedMicroUsd: micro, leftMicroUsd: micro });

const receiptSums = z.looseObject({
	gpuMs: micro,
	costMicroUsd: micro,
	listMicroUsd: micro,
	energyMilliWh: micro,
	emissionsMilligrams: micro.nullable(),
	marketEmissionsMilligrams: micro.nullable(),
	embodiedMilligrams: micro.nullable(),
});

const pricedTime = z.looseObject({ ms: z.number(), microUsdPerKwh: micro }).nullable();

export const receiptShape = z.looseObject({
	attempts: z.array(
		z.looseObject({
			number: z.number(),
			state: z.string(),
			placement,
			lines: z.array(receiptSums.extend({ kind: z.string(), fromMs: z.number(), toMs: z.number(), status: z.string() })),
		}),
	),
	totals: receiptSums,
	electricity: z
		.looseObject({ hourly: pricedTime, card: pricedTime, sources: z.array(z.string()) })
		.nullable()
		.default(null),
	carbon: z.looseObject({ milligramsPerGpuHour: micro.nullable(), milligramsPerJob: micro.nullable() }),
	alternatives: z.array(
		z.looseObject({
			way: z.string(),
			placement,
			costMicroUsd: micro,
			storageMicroUsd: micro.nullable().default(null),
			cashMicroUsd: micro,
			startP50Ms: z.number(),
			removedBy: removal.nullable(),
		}),
	),
});
