import { z } from "zod";

/** A plan study as lists show it. */
export const studyShape = z.looseObject({
	id: z.string(),
	name: z.string(),
	state: z.enum(["queued", "running", "done", "failed", "cancelled"]),
	progressPermille: z.number(),
	error: z.string().nullable(),
	createdAt: z.string(),
	createdBy: z.string(),
	result: z
		.looseObject({ comparison: z.looseObject({ decision: z.looseObject({ headline: z.string(), summary: z.string() }) }) })
		.nullish(),
});
