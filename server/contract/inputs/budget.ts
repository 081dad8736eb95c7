import { z } from "zod";

export const changeCapInput = z.strictObject({
	budgetId: z.string().min(1).max(64),
	/** Dollars, with at most six decimals. */
	capUsd: z
		.string()
		.trim()
		.regex(/^\d{1,12}(\.\d{1,6})?$/, "must be an amount of dollars such as 50000 or 499.50"),
	/** Why. Shown with the version of the policy. */
	message: z.string().trim().min(3, "say in a few words why").max(500),
	/** Refuse when another version of the policy is in force than the one that was looked at. */
	policyVersion: z.number().int().positive().optional(),
});

export const getBudgetInput = z.strictObject({
	id: z.string().min(1).max(64),
	/** First day of a period that is over; the current one when left out. */
	period: z.iso.date().optional(),
});

export const budgetPeriodInput = z.strictObject({
	id: z.string().min(1).max(64),
	/** Any day of the period, `2026-11-01`; the current one when left out. */
	period: z.iso.date().optional(),
});
