import { z } from "zod";
import { REMOVAL_CODES, SPEED_SOURCES } from "#server/domain/decision.ts";
import { JOB_STATES } from "#server/domain/states.ts";
import { integerText } from "../parts.ts";
import { approvalOutlookSchema, forecastScoreSchema, placementSchema, reasonSchema, timeRangeSchema } from "./shared.ts";

export const outcomeSchema = z.enum(["hold", "place_home", "launch", "wait", "fail"]).meta({ id: "Outcome" });

export const candidateSchema = z
	.object({
		placement: placementSchema,
		offerId: z.string().nullable(),
		instances: z.number(),
		hourlyMicroUsd: integerText,
		start: timeRangeSchema,
		finish: timeRangeSchema,
		speed: z.number().optional(),
		speedSource: z.enum(SPEED_SOURCES).optional(),
		staging: z.object({ expectedMs: z.number(), lowMs: z.number(), highMs: z.number() }).optional(),
		copyAheadMs: z.number().optional(),
		interconnectUnknown: z
			.literal(true)
			.optional()
			.meta({ description: "The site does not declare whether this pool has a high-bandwidth interconnect." }),
		computeMicroUsd: integerText,
		egressMicroUsd: integerText,
		storageMicroUsd: integerText.optional(),
		totalMicroUsd: integerText,
		cashMicroUsd: integerText,
		worstCaseMicroUsd: integerText,
		emissionsGrams: z.number().nullable(),
		scoreMicroUsd: integerText,
		outcome: z.enum(["removed", "chosen", "passes"]),
		removedBy: z
			.object({
				ruleId: z.string().nullable(),
				why: z.enum(REMOVAL_CODES),
				facts: z.record(z.string(), z.union([z.boolean(), z.string(), z.number()]).nullable()),
			})
			.nullable(),
	})
	.meta({ id: "Candidate" });

export const decisionSchema = z
	.object({
		id: z.string(),
		attemptNumber: z.number().nullable(),
		reason: reasonSchema,
		policy: z.object({
			name: z.string(),
			version: z.number(),
		}),
		jobId: z.string(),
		decidedAtMs: z.number(),
		outcome: outcomeSchema,
		verdict: z.enum(["deny", "allow", "needs_approval"]),
		homeStart: timeRangeSchema.nullable(),
		candidates: z.array(candidateSchema),
		removed: z.array(
			z.object({
				ruleId: z.string().nullable(),
				why: z.enum(REMOVAL_CODES),
				count: z.number(),
				cheapest: candidateSchema,
			}),
		),
		consideredCount: z.number(),
	})
	.meta({ id: "Decision" });

export const replaySchema = z
	.object({
		decisionId: z.string(),
		decidedAtMs: z.number(),
		policy: z.object({
			name: z.string(),
			version: z.number(),
		}),
		same: z.boolean(),
		recorded: z.object({
			bytes: z.number(),
			sha256: z.string(),
		}),
		replayed: z.object({
			bytes: z.number(),
			sha256: z.string(),
		}),
		difference: z
			.object({
				path: z.string(),
				recorded: z.string(),
				replayed: z.string(),
			})
			.nullable(),
		input: z.object({
			pending: z.number(),
			running: z.number(),
			offers: z.number(),
		}),
	})
	.meta({ id: "Replay" });

export const prospectSchema = z
	.object({
		placement: placementSchema,
		start: timeRangeSchema,
		finish: timeRangeSchema,
		cashMicroUsd: integerText,
		deadlineRisk: z.number().nullable(),
	})
	.meta({ id: "Prospect" });

export const waitingChangeSchema = z
	.object({
		by: z.enum(["policy", "money", "time", "people"]),
		sentence: z.string(),
	})
	.meta({ id: "WaitingChange" });

export const jobChangeSchema = z
	.discriminatedUnion("kind", [
		z.object({
			kind: z.literal("accelerator"),
			accelerator: z.string(),
		}),
		z.object({
			kind: z.literal("deadline"),
			deadlineMs: z.number(),
			laterMs: z.number(),
		}),
		z.object({
			kind: z.literal("checkpoint"),
			intervalMs: z.number(),
		}),
		z.object({
			kind: z.literal("one_node"),
			gpus: z.number(),
		}),
		z.object({
			kind: z.literal("half"),
			nodes: z.number(),
			gpus: z.number(),
		}),
		z.object({
			kind: z.literal("scale"),
			nodes: z.number(),
			gpus: z.number(),
			speedup: z.number(),
		}),
		z.object({
			kind: z.literal("machine"),
			instanceType: z.string(),
			cpus: z.number().nullable(),
			memoryGiB: z.number().nullable(),
		}),
		z.object({
			kind: z.literal("max_duration"),
			maxMs: z.number(),
		}),
	])
	.meta({ id: "JobChange" });

export const changedFieldSchema = z
	.object({
		path: z.array(z.string()),
		value: z.union([z.string(), z.number(), z.record(z.string(), z.string()), z.array(z.string())]),
	})
	.meta({ id: "ChangedField" });

export const suggestion26Schema = z
	.object({
		change: jobChangeSchema,
		fields: z.array(changedFieldSchema),
		prospect: prospectSchema,
		startsEarlierMs: z.number().nullable(),
		finishesEarlierMs: z.number().nullable(),
		savesMicroUsd: integerText.nullable(),
	})
	.meta({ id: "Suggestion26" });

export const suggestionSchema = suggestion26Schema
	.extend({
		sentence: z.string(),
	})
	.meta({ id: "Suggestion" });

export const waitingSchema = z
	.object({
		waits: z.boolean(),
		state: z.enum(JOB_STATES),
		reason: reasonSchema,
		decidedAtMs: z.number().nullable(),
		homeStart: timeRangeSchema.nullable(),
		position: z.object({ from: z.number(), to: z.number(), of: z.number() }).nullable(),
		expected: prospectSchema.nullable(),
		considered: z
			.object({
				candidates: z.array(candidateSchema),
				removed: z.array(
					z.object({
						ruleId: z.string().nullable(),
						why: z.enum(REMOVAL_CODES),
						count: z.number(),
						cheapest: candidateSchema,
					}),
				),
				consideredCount: z.number(),
			})
			.nullable(),
		changes: z.array(waitingChangeSchema),
		suggestions: z.array(suggestionSchema),
	})
	.meta({ id: "Waiting" });

export const quotedCandidateSchema = candidateSchema
	.extend({
		deadlineRisk: z.number().nullable(),
	})
	.meta({ id: "QuotedCandidate" });

export const electricityAheadSchema = z
	.object({
		siteId: z.string(),
		hours: z.number(),
		hoursPriced: z.number(),
		sources: z.array(z.string()),
	})
	.meta({ id: "ElectricityAhead" });

export const quoteSchema = z
	.object({
		reason: reasonSchema,
		candidates: z.array(quotedCandidateSchema),
		removed: z.array(
			z.object({
				ruleId: z.string().nullable(),
				why: z.enum(REMOVAL_CODES),
				count: z.number(),
				cheapest: quotedCandidateSchema,
			}),
		),
		gpus: z.number(),
		queue: z.object({
			jobs: z.number(),
			gpus: z.number(),
		}),
		runTime: z.object({
			p50Ms: z.number(),
			p90Ms: z.number(),
		}),
		expected: prospectSchema.nullable(),
		suggestions: z.array(suggestionSchema),
		approval: approvalOutlookSchema
			.extend({
				ruleId: z.string(),
				sentence: z.string(),
			})
			.nullable(),
		forecastScore: forecastScoreSchema.nullable(),
		quoteScore: forecastScoreSchema.nullable(),
		electricity: z.array(electricityAheadSchema),
		budgetFree: z
			.object({
				budgetId: z.string(),
				freeMicroUsd: integerText,
				capMicroUsd: integerText,
			})
			.nullable(),
		policy: z.object({
			name: z.string(),
			version: z.number(),
		}),
		decidedAtMs: z.number(),
		outcome: outcomeSchema,
		verdict: z.enum(["deny", "allow", "needs_approval"]),
		homeStart: timeRangeSchema.nullable(),
		consideredCount: z.number(),
	})
	.meta({ id: "Quote" });
