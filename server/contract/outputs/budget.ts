import { z } from "zod";
import { BUDGET_PERIODS, CAP_REACTIONS } from "#server/domain/policy.ts";
import { integerText } from "../parts.ts";

export const spendForecastSchema = z
	.object({
		lowMicroUsd: integerText,
		expectedMicroUsd: integerText,
		highMicroUsd: integerText,
		samples: z.number(),
	})
	.meta({ id: "SpendForecast" });

export const budgetStatusSchema = z
	.object({
		id: z.string(),
		scope: z.string(),
		period: z.enum(BUDGET_PERIODS),
		periodKey: z.string(),
		periodStartMs: z.number(),
		periodEndMs: z.number(),
		atCap: z.enum(CAP_REACTIONS),
		capMicroUsd: integerText,
		postedMicroUsd: integerText,
		heldMicroUsd: integerText,
		freeMicroUsd: integerText,
		forecast: spendForecastSchema.nullable(),
	})
	.meta({ id: "BudgetStatus" });

export const pastPeriodSchema = z
	.object({
		periodKey: z.string(),
		fromMs: z.number(),
		toMs: z.number(),
		postedMicroUsd: integerText,
		capMicroUsd: integerText.nullable(),
	})
	.meta({ id: "PastPeriod" });

export const budgetDetailSchema = budgetStatusSchema
	.extend({
		policyVersion: z.number(),
		sentence: z.string(),
		days: z.array(
			z.object({
				dayStartMs: z.number(),
				postedMicroUsd: integerText,
			}),
		),
		ahead: z.array(
			z.object({
				atMs: z.number(),
				lowMicroUsd: integerText,
				expectedMicroUsd: integerText,
				highMicroUsd: integerText,
			}),
		),
		machines: z.number(),
		teams: z.array(
			z.object({
				team: z.string(),
				postedMicroUsd: integerText,
			}),
		),
		otherTeamsMicroUsd: integerText,
		seesAllTeams: z.boolean(),
		jobs: z.array(
			z.object({
				jobId: z.string(),
				name: z.string(),
				team: z.string(),
				state: z.string(),
				postedMicroUsd: integerText,
			}),
		),
		history: z.array(pastPeriodSchema),
	})
	.meta({ id: "BudgetDetail" });

export const capChangedSchema = z
	.discriminatedUnion("kind", [
		z.object({
			kind: z.literal("changed"),
			policyVersion: z.number(),
			fromMicroUsd: integerText,
			toMicroUsd: integerText,
		}),
		z.object({
			kind: z.literal("proposed"),
			proposalId: z.string(),
			fromMicroUsd: integerText,
			toMicroUsd: integerText,
		}),
	])
	.meta({ id: "CapChanged" });
