import { z } from "zod";
import { instant } from "../parts.ts";

export const studySummarySchema = z
	.object({
		id: z.string(),
		source: z.enum(["records", "upload", "open"]),
		name: z.string(),
		state: z.enum(["failed", "cancelled", "queued", "running", "done"]),
		progressPermille: z.number(),
		error: z.string().nullable(),
		createdAt: instant,
		createdBy: z.string(),
		/** null: queued. */
		startedAt: instant.nullable(),
		finishedAt: instant.nullable(),
	})
	.meta({ id: "PlanStudySummary" });

/** docs/plan.md defines each figure; `spillway plan assess` and `compare` print the same objects. */
const resultSchema = z.object({
	assessment: z.looseObject({ apiVersion: z.literal("spillway/v1"), kind: z.literal("PlanAssessment") }),
	comparison: z.looseObject({
		...{ apiVersion: z.literal("spillway/v1"), kind: z.literal("PlanComparison") },
		decision: z.looseObject({ verdict: z.enum(["go", "pilot", "no_go"]), headline: z.string(), summary: z.string() }),
	}),
	/** Published claims next to the trace's results. Absent: own records, and studies of earlier releases. */
	headline: z.looseObject({ apiVersion: z.literal("spillway/v1"), kind: z.literal("PlanHeadline") }).optional(),
});

export const studySchema = studySummarySchema.extend({ result: resultSchema.nullable() }).meta({ id: "PlanStudy" });

export const studyDemandSchema = z
	.object({
		/** That match the filter. */
		jobs: z.number(),
		/** The figures of `demand` of an assessment. */
		demand: z.looseObject({ meanGpus: z.number(), peakGpus: z.number() }),
		/** `waits` and `candidates` as in an assessment. null: no jobs match. */
		profile: z
			.object({
				waits: z.looseObject({ bySize: z.array(z.looseObject({ name: z.string(), jobs: z.number() })) }),
				candidates: z.array(z.looseObject({ team: z.string(), label: z.string(), score: z.number() })),
				candidatesLeftOut: z.number(),
			})
			.nullable(),
		/** All of the study, for filters. */
		teams: z.array(z.string()),
		classes: z.array(z.string()),
		/** One name for jobs of several models; `(not recorded)` for those of none. */
		gpus: z.array(z.string()),
	})
	.meta({ id: "PlanStudyDemand" });

/** For one option or month; null: unknown. */
const figures = {
	meanTimeToModelS: z.number().nullable(),
	meanWaitS: z.number().nullable(),
	/** US dollars per 730 hours; for a month: its actual cost. */
	cloudUsd: z.number(),
};

export const planDecisionSchema = z
	.object({
		study: studySummarySchema,
		/** SHA-256 of the stored result: unchanged as long as the figures are. */
		sha256: z.string(),
		verdict: z.enum(["go", "pilot", "no_go"]),
		headline: z.string(),
		summary: z.string(),
		tests: z.array(z.object({ about: z.enum(["burst", "buy"]), test: z.string(), found: z.string(), passed: z.boolean() })),
		/** null: no-go. */
		pilot: z
			.object({
				...{ family: z.string(), team: z.string(), policy: z.string(), weeks: z.number(), capUsd: z.number() },
				measure: z.array(z.string()),
				stopWhen: z.array(z.string()),
			})
			.nullable(),
		recommended: z.string(),
		options: z.array(
			z.object({ id: z.string(), label: z.string(), ownedGpus: z.number(), ...figures, totalUsd: z.number(), npvUsd: z.number() }),
		),
		assumptions: z.array(z.object({ name: z.string(), value: z.string(), source: z.string() })),
		/**
		 * What happened since the study, next to `expected`. null: a study of an external trace does not describe this
		 * installation.
		 */
		outcome: z
			.object({
				expected: z.object({ label: z.string(), ...figures }),
				months: z.array(
					z.object({
						month: z.string(),
						/** Only a part of it: the month of the study, or the current one. */
						isPart: z.boolean(),
						models: z.number(),
						...figures,
					}),
				),
			})
			.nullable(),
	})
	.meta({ id: "PlanDecision" });
