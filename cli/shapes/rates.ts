import { z } from "zod";
import { micro } from "./parts.ts";

const rateCardShape = z.looseObject({
	effectiveFrom: z.string(),
	card: z.looseObject({ assets: z.array(z.unknown()) }),
	message: z.string(),
	author: z.string(),
	createdAt: z.string(),
});

export const poolRatesShape = z.looseObject({
	siteId: z.string(),
	poolId: z.string(),
	accelerator: z.string(),
	gpus: z.number(),
	flatMicroUsdPerGpuHour: micro,
	current: rateCardShape.nullable(),
	month: z
		.looseObject({
			depreciationMicroUsd: micro,
			rackMicroUsd: micro,
			networkMicroUsd: micro,
			supportMicroUsd: micro,
			staffMicroUsd: micro,
			hours: z.number(),
			hoursPriced: z.number(),
			electricitySources: z.array(z.string()).default([]),
			busyMicroUsdPerGpuHour: micro,
			idleMicroUsdPerGpuHour: micro,
		})
		.nullable(),
	history: z.array(rateCardShape),
});

export const rateCardSetShape = z.looseObject({
	id: z.string(),
	effectiveFrom: z.string(),
	corrections: z.number(),
	correctedMicroUsd: micro,
});

export const measuredPowerShape = z.looseObject({
	estimatedKwh: z.string(),
	cards: z.array(z.looseObject({ effectiveFrom: z.string(), busyWattsPerGpu: z.string(), idleWattsPerGpu: z.string() })),
	corrections: z.number(),
	correctedMicroUsd: micro,
});

export const electricityPricesShape = z.looseObject({
	from: z.string(),
	to: z.string(),
	added: z.number(),
	replaced: z.number(),
	unchanged: z.number(),
	corrections: z.number(),
	correctedMicroUsd: micro,
});
