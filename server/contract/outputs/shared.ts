import { z } from "zod";
import { PREPARATION_SOURCES, PREPARATION_STATES, PREPARED_KINDS } from "#server/domain/preparation.ts";
import { REASON_CODES } from "#server/domain/reasons.ts";
import { INSTANCE_STATES } from "#server/domain/states.ts";
import { CAPACITY_TYPES, PROVIDERS, ROLES } from "#server/domain/vocabulary.ts";
import { instant, integerText } from "../parts.ts";

export const reasonSchema = z
	.object({
		code: z.enum(REASON_CODES),
		message: z.string(),
		facts: z.record(z.string(), z.union([z.boolean(), z.string(), z.number()]).nullable()),
	})
	.meta({ id: "Reason" });

export const placementSchema = z
	.object({
		siteId: z.string(),
		provider: z.enum(PROVIDERS),
		region: z.string().nullable(),
		zone: z.string().nullable(),
		capacityType: z.enum(CAPACITY_TYPES),
		instanceType: z.string().nullable(),
		poolId: z.string().nullable(),
		accelerator: z.string().nullable(),
		speed: z.number().optional(),
		egressGiB: z.number().optional(),
		reads: z
			.array(z.object({ uri: z.string(), from: z.string(), microUsd: z.number() }))
			.optional()
			.meta({ description: "Data sets that each machine reads from another cloud, with the egress that its hold covers." }),
	})
	.meta({ id: "Placement" });

export const timeRangeSchema = z
	.object({
		p50Ms: z.number(),
		p90Ms: z.number(),
	})
	.meta({ id: "TimeRange" });

export const instanceSchema = z
	.object({
		id: z.string(),
		provider: z.enum(PROVIDERS),
		siteId: z.string(),
		providerInstanceId: z.string().nullable(),
		state: z.enum(INSTANCE_STATES),
		region: z.string(),
		zone: z.string().nullable(),
		instanceType: z.string(),
		accelerator: z.string(),
		gpus: z.number(),
		capacityType: z.enum(CAPACITY_TYPES),
		microUsdPerHour: integerText,
		jobId: z.string().nullable().describe("Null, like its name and attempt, while it is kept warm without a job; it then has no team."),
		jobName: z.string().nullable(),
		team: z.string(),
		attemptId: z.string().nullable(),
		warm: z
			.object({ ruleId: z.string(), until: instant, stopped: z.boolean().describe("It is stopped, and costs only its disk.") })
			.nullable()
			.describe("The prewarm rule that launched it, and until when it is kept without a job; null: launched for its job."),
		prepared: z
			.array(
				z.object({
					kind: z.enum(PREPARED_KINDS),
					name: z.string(),
					source: z.enum(PREPARATION_SOURCES),
					sharePercent: z.number().nullable().describe("Share of the recorded jobs that used it; null: named by the rule."),
					sizeGiB: z.number().nullable(),
					state: z.enum(PREPARATION_STATES),
					bytes: z.number().nullable(),
					digest: z.string().nullable(),
					problem: z.string().nullable(),
				}),
			)
			.nullable()
			.describe("Images and data sets that it fetches while it has no job. Null: none, it has a job, or the caller sees only some teams."),
		rank: z.number(),
		nodes: z.number(),
		exitCode: z.number().nullable(),
		intendedAt: instant,
		requestedAt: instant.nullable(),
		launchedAt: instant.nullable(),
		readyAt: instant.nullable(),
		interruptionAt: instant.nullable(),
		terminatingAt: instant.nullable(),
		terminatedAt: instant.nullable(),
		fencedAt: instant.nullable(),
		expiresAt: instant,
		lastSeenAt: instant.nullable(),
		lastHeardAt: instant.nullable(),
		lastError: z.string().nullable(),
		reason: reasonSchema.nullable(),
		costMicroUsd: integerText,
	})
	.meta({ id: "Instance" });

export const approvalOutlookSchema = z
	.object({
		role: z.enum(ROLES),
		people: z.array(z.string()),
		medianMs: z.number().nullable(),
		answered: z.number(),
	})
	.meta({ id: "ApprovalOutlook" });

export const forecastScoreSchema = z
	.object({
		count: z.number(),
		p50Covered: z.number(),
		p90Covered: z.number(),
	})
	.meta({ id: "ForecastScore" });
