import { z } from "zod";

export const uploadSchema = z
	.object({
		id: z.string(),
		name: z.string(),
		/** Stored so far. */
		bytes: z.number(),
	})
	.meta({ id: "Upload" });
