import { z } from "zod";

/** A problem document (RFC 9457), as problem.ts writes it. */
export const problemSchema = z.object({
	type: z.string(),
	title: z.string(),
	status: z.number().int(),
	detail: z.string(),
	code: z.string(),
	fix: z.string().optional(),
	fields: z
		.array(z.object({ path: z.string(), message: z.string(), line: z.number().int().optional(), column: z.number().int().optional() }))
		.optional(),
	requestId: z.string(),
});
