import { z } from "zod";
import { CARBON_CAUSES } from "#server/domain/variance-cause.ts";
import { PROVIDERS } from "#server/domain/vocabulary.ts";
import { integerText } from "../parts.ts";
import { interval } from "./spend.ts";

export const sideSumsSchema = z
	.object({
		gpuMs: integerText,
		energyMilliWh: integerText,
		measuredEnergyMilliWh: integerText,
		hourlyGridMilliWh: integerText,
		operationalMilligrams: integerText,
		embodiedMilligrams: integerText,
		emissionsUnknownGpuMs: integerText,
		embodiedUnknownGpuMs: integerText,
	})
	.meta({ id: "SideSums" });

export const carbonSumsSchema = sideSumsSchema
	.extend({
		owned: sideSumsSchema,
		idle: sideSumsSchema,
		cloud: sideSumsSchema,
		totalMilligrams: integerText,
		marketMilligrams: integerText,
		marketUnknownGpuMs: integerText,
	})
	.meta({ id: "CarbonSums" });

export const carbonSchema = z
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
			carbonSumsSchema.extend({
				key: z.string(),
			}),
		),
		totals: carbonSumsSchema,
	})
	.meta({ id: "Carbon" });

export const carbonVarianceSchema = z
	.object({
		after: interval,
		before: interval,
		beforeMilligrams: integerText,
		afterMilligrams: integerText,
		byCause: z.record(z.enum(CARBON_CAUSES), integerText),
		parts: z.array(
			z.object({
				cause: z.enum(CARBON_CAUSES),
				team: z.string(),
				project: z.string(),
				milligrams: integerText,
				beforeGpuMs: integerText,
				afterGpuMs: integerText,
			}),
		),
		sentence: z.string().nullable(),
	})
	.meta({ id: "CarbonVariance" });

export const avoidedSchema = z
	.object({
		gpuMs: integerText,
		actualMilligrams: integerText,
		counterfactualMilligrams: integerText,
		avoidedMilligrams: integerText,
	})
	.meta({ id: "Avoided" });

export const comparisonSchema = avoidedSchema
	.extend({
		against: z.enum(["home", "removed_offer"]),
		calculation: z.string(),
		jobs: z.number().nullable(),
	})
	.meta({ id: "Comparison" });

export const avoidedEmissionsSchema = z
	.object({
		fromMs: z.number(),
		toMs: z.number(),
		home: comparisonSchema.nullable(),
		removedOffer: comparisonSchema.nullable(),
	})
	.meta({ id: "AvoidedEmissions" });

export const gridCellSchema = z
	.object({
		hourMs: z.number(),
		gramsPerKwh: z.number().nullable(),
		basis: z.enum(["hour", "forecast", "average"]),
	})
	.meta({ id: "GridCell" });

export const gridPlaceSchema = z
	.object({
		siteId: z.string(),
		name: z.string(),
		provider: z.enum(PROVIDERS),
		region: z.string(),
		zone: z.string().nullable(),
		pue: z.number().nullable(),
		averageGramsPerKwh: z.number().nullable(),
		averageYear: z.number().nullable(),
		meanGramsPerKwh: z.number().nullable(),
		hadWork: z.boolean(),
		cells: z.array(gridCellSchema),
	})
	.meta({ id: "GridPlace" });

export const gridSchema = z
	.object({
		dayStartMs: z.number(),
		places: z.array(gridPlaceSchema),
	})
	.meta({ id: "Grid" });

export const importedIntensitySchema = z
	.object({
		zones: z.array(
			z.object({
				zone: z.string(),
				hours: z.number(),
				fromMs: z.number(),
				toMs: z.number(),
			}),
		),
		added: z.number(),
		replaced: z.number(),
		kept: z.number(),
		unchanged: z.number(),
		note: z.string(),
	})
	.meta({ id: "ImportedIntensity" });
