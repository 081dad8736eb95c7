import { z } from "zod";
import { micro } from "./parts.ts";

const carbonSums = {
	gpuMs: micro,
	energyMilliWh: micro,
	measuredEnergyMilliWh: micro,
	hourlyGridMilliWh: micro,
	operationalMilligrams: micro,
	embodiedMilligrams: micro,
	totalMilligrams: micro,
	marketMilligrams: micro,
	emissionsUnknownGpuMs: micro,
	marketUnknownGpuMs: micro,
	embodiedUnknownGpuMs: micro,
};

export const carbonShape = z.looseObject({
	fromMs: z.number(),
	toMs: z.number(),
	groupBy: z.string(),
	items: z.array(z.looseObject({ key: z.string(), ...carbonSums })),
	totals: z.looseObject(carbonSums),
});

export const importedIntensityShape = z.looseObject({
	zones: z.array(z.looseObject({ zone: z.string(), hours: z.number(), fromMs: z.number(), toMs: z.number() })),
	added: z.number(),
	replaced: z.number(),
	kept: z.number(),
	unchanged: z.number(),
	note: z.string(),
});
