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

const restOfPeriod = {
	/** At the spending of the last four weeks. */
	unchangedMicroUsd: integerText,
	lowMicroUsd: integerText,
	expectedMicroUsd: integerText,
	highMicroUsd: integerText,
};

export const budgetOutlookSchema = z
	.object({
		/** Posted, and the rest of the period with each team's demand at its P10, P50 and P90. */
		lowMicroUsd: integerText,
		expectedMicroUsd: integerText,
		highMicroUsd: integerText,
		heldMicroUsd: integerText,
		/** The team that the end depends on most comes first. */
		teams: z.array(
			z.object({
				team: z.string(),
				...restOfPeriod,
				/** Demand in the rest of the period ÷ its mean in the last four weeks; null: unknown, so taken as 1. */
				demand: z.object({ p10: z.number(), p50: z.number(), p90: z.number() }).nullable(),
			}),
		),
		/** All teams that the reader may not see; null: none are hidden. */
		others: z.object(restOfPeriod).nullable(),
	})
	.nullable()
	.meta({ id: "BudgetOutlook" });

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
