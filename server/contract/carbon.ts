import { importIntensityInput } from "./inputs/carbon.ts";
import { carbonQueryInput, TIME_RANGE, timeRangeInput, varianceQueryInput } from "./inputs/spend.ts";
import { operation } from "./operation.ts";
import { avoidedEmissionsSchema, carbonSchema, carbonVarianceSchema, gridSchema, importedIntensitySchema } from "./outputs/carbon.ts";

export const carbon = {
	by: operation({
		method: "GET",
		path: "/carbon",
		summary: "Get energy and emissions by dimension or by time",
		description: "Operational by both methods, embodied, and what is measured, hourly or unknown ([carbon](carbon.md)).",
		permission: "spend:read",
		example: { groupBy: "region" },
		output: carbonSchema,
		wire: TIME_RANGE,
		input: carbonQueryInput,
	}),
	variance: operation({
		method: "GET",
		path: "/carbon/variance",
		summary: "Explain why emissions differ from the range before",
		description: "The change by cause and line of work ([what changed](carbon.md#what-changed)). Its parts add up to the milligram.",
		permission: "spend:read",
		example: { from: "2026-11-01", to: "2026-12-01" },
		output: carbonVarianceSchema.nullable(),
		wire: TIME_RANGE,
		input: varianceQueryInput,
	}),
	avoided: operation({
		method: "GET",
		path: "/carbon/avoided",
		summary: "Get the emissions that bursting avoided or added",
		permission: "spend:read",
		output: avoidedEmissionsSchema,
		wire: TIME_RANGE,
		input: timeRangeInput,
	}),
	intensities: operation({
		method: "GET",
		path: "/carbon/intensities",
		summary: "Get grid intensity by place and hour on the last day of the range",
		permission: "spend:read",
		output: gridSchema,
		wire: TIME_RANGE,
		input: timeRangeInput,
	}),
	importIntensities: operation({
		method: "POST",
		path: "/carbon/intensities",
		summary: "Import hourly grid intensities",
		description: "CSV, or Electricity Maps' history.",
		permission: "rates:change",
		example: { text: "zone,ts,g_per_kwh\nDE,2026-11-01T00:00:00Z,312\n", source: "Electricity Maps" },
		output: importedIntensitySchema,
		input: importIntensityInput,
		write: true,
	}),
};
