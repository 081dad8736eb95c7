import { z } from "zod";
import { WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { instant, integerText } from "../parts.ts";

export const backtestSummarySchema = z
	.object({
		id: z.string(),
		policyName: z.string(),
		baseVersion: z.number(),
		from: z.string(),
		to: z.string(),
		state: z.enum(["failed", "cancelled", "queued", "running", "done"]),
		progressPermille: z.number(),
		error: z.string().nullable(),
		createdAt: instant,
		createdBy: z.string(),
		automatic: z.boolean(),
		startedAt: instant.nullable(),
		finishedAt: instant.nullable(),
	})
	.meta({ id: "BacktestSummary" });

export const backtestDaySchema = z
	.object({
		date: z.string(),
		cloudCostMicroUsd: integerText,
		meanWaitMs: z.number().nullable(),
		missedDeadlines: z.number(),
		emissionsGrams: z.number().nullable(),
	})
	.meta({ id: "BacktestDay" });

export const backtestSumsSchema = z
	.object({
		jobs: z.number(),
		cloudCostMicroUsd: integerText,
		ownedGpuHours: z.number(),
		cloudGpuHours: z.number(),
		ownedUtilisation: z.number(),
		meanWaitMs: z.number(),
		p95WaitMs: z.number(),
		missedDeadlines: z.number(),
		egressGiB: z.number(),
		emissionsGrams: z.number().nullable(),
		waits: z.array(
			z.object({
				team: z.string(),
				class: z.enum(WORKLOAD_CLASSES),
				jobs: z.number(),
				meanWaitMs: z.number(),
			}),
		),
		budgets: z.array(
			z.object({
				id: z.string(),
				periodKey: z.string(),
				capMicroUsd: integerText,
				postedMicroUsd: integerText,
			}),
		),
		days: z.array(backtestDaySchema),
		waitingAtEnd: z.number(),
		runningAtEnd: z.number(),
		askedForApproval: z.number(),
		deadlines: z.number(),
	})
	.meta({ id: "BacktestSums" });

export const backtestPlaceSchema = z
	.object({
		place: z.string().nullable(),
		waitMs: z.number().nullable(),
		costMicroUsd: integerText,
		emissionsGrams: z.number().nullable(),
		finishedAtMs: z.number().nullable(),
		explanation: z.string(),
	})
	.meta({ id: "BacktestPlace" });

export const backtestMoveSchema = z
	.object({
		jobId: z.string(),
		name: z.string(),
		team: z.string(),
		class: z.enum(WORKLOAD_CLASSES),
		gpus: z.number(),
		submittedAtMs: z.number(),
		deadlineAtMs: z.number().nullable(),
		published: backtestPlaceSchema,
		draft: backtestPlaceSchema,
	})
	.meta({ id: "BacktestMove" });

export const backtestResultSchema = z
	.object({
		published: backtestSumsSchema,
		draft: backtestSumsSchema,
		moved: z.array(backtestMoveSchema),
		movedCount: z.number(),
		gaps: z.array(z.string()),
		replayedJobs: z.number(),
		replaySeconds: z.number(),
	})
	.meta({ id: "BacktestResult" });

export const backtestEstimateSchema = z
	.object({
		fromMs: z.number(),
		jobs: z.number(),
		ofJobs: z.number(),
		publishedCostMicroUsd: integerText,
		draftCostMicroUsd: integerText,
		costErrorMicroUsd: integerText.nullable(),
		publishedMeanWaitMs: z.number(),
		draftMeanWaitMs: z.number(),
		waitErrorMs: z.number().nullable(),
	})
	.meta({ id: "BacktestEstimate" });

export const backtestSchema = backtestSummarySchema
	.extend({
		source: z.string(),
		estimate: backtestEstimateSchema.nullable(),
		result: backtestResultSchema.nullable(),
	})
	.meta({ id: "Backtest" });

export const shadowChoiceSchema = z
	.object({
		outcome: z.enum(["home", "held", "cloud", "waits", "denied"]),
		place: z.string().nullable(),
		costMicroUsd: integerText,
		sentence: z.string(),
	})
	.meta({ id: "ShadowChoice" });

export const shadowSchema = z
	.object({
		id: z.string(),
		baseVersion: z.number(),
		source: z.string(),
		startedAt: instant,
		startedBy: z.string(),
		stoppedAt: instant.nullable(),
		decided: z.number(),
		agreed: z.number(),
		publishedMicroUsd: integerText,
		draftMicroUsd: integerText,
		differences: z.array(
			z.object({
				jobId: z.string(),
				name: z.string(),
				team: z.string(),
				decidedAt: instant,
				published: shadowChoiceSchema,
				draft: shadowChoiceSchema,
			}),
		),
	})
	.meta({ id: "Shadow" });
