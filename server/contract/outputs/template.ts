import { z } from "zod";

/** The template that a job or pipeline was run from. */
export const templateOriginSchema = z
	.object({
		id: z.string(),
		name: z.string(),
		version: z.number().int(),
		isDeleted: z.boolean().meta({ description: "The template was deleted since." }),
	})
	.nullable()
	.meta({ description: "The template and version that it was run from; null without one." });
