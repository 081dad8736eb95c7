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
	/** Published claims next to what the trace gives. Absent: own records, and studies of earlier releases. */
	headline: z.looseObject({ apiVersion: z.literal("spillway/v1"), kind: z.literal("PlanHeadline") }).optional(),
});

export const studySchema = studySummarySchema.extend({ result: resultSchema.nullable() }).meta({ id: "PlanStudy" });
