import { z } from "zod";
import { ROLES } from "#server/domain/vocabulary.ts";

export const askAgainInput = z.strictObject({ jobId: z.string().min(1).max(64) });

const note = z.string().trim().max(1_000).optional();

const id = z.string().min(1).max(64);

export const refuseInput = z.strictObject({ id, note });

export const grantInput = refuseInput.extend({
	/** Maximum estimated cost of the placement, USD; default: the estimate in the request. */
	upToUsd: z
		.string()
		.regex(/^\d{1,9}(\.\d{1,6})?$/, "must be an amount of dollars such as 120 or 99.50")
		.refine((usd) => Number(usd) > 0, "must be above 0: to refuse, refuse it")
		.optional(),
});

export const listApprovalsInput = z.strictObject({
	/** `open`: requests waiting for an answer; `past`: answered, withdrawn and expired requests. */
	state: z.enum(["open", "past"]).optional(),
	jobId: z.string().min(1).max(64).optional(),
	cursor: z.string().max(400).optional(),
	limit: z.number().int().min(1).max(200).default(50),
});

export const outlookInput = z.strictObject({ role: z.enum(ROLES) });
