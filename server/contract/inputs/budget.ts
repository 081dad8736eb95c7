import { z } from "zod";
import { BUDGET_PERIODS } from "#server/domain/policy.ts";
import { name } from "#server/domain/schema/values.ts";

/** Dollars, with at most six decimals. */
const capUsd = z
	.string()
	.trim()
	.regex(/^\d{1,12}(\.\d{1,6})?$/, "must be an amount of dollars such as 50000 or 499.50");
/** Reason, shown with the version of the policy. */
const message = z.string().trim().min(3, "say in a few words why").max(500);

export const addBudgetInput = z.strictObject({
	id: name(),
	/** CEL over a job; default: every job. */
	scope: z.string().trim().min(1).max(1_000).default("true"),
	period: z.enum(BUDGET_PERIODS).default("month"),
	capUsd,
	message,
});

export const changeCapInput = z.strictObject({
	budgetId: z.string().min(1).max(64),
	capUsd,
	message,
	/** Fails when the policy's version in force differs from the one that was seen. */
	policyVersion: z.number().int().positive().optional(),
});

export const getBudgetInput = z.strictObject({
	id: z.string().min(1).max(64),
	/** First day of a past period; default: the current one. */
	period: z.iso.date().optional(),
});

export const budgetOutlookInput = z.strictObject({ id: z.string().min(1).max(64) });

export const budgetPeriodInput = z.strictObject({
	id: z.string().min(1).max(64),
	/** Any day of the period, `2026-11-01`; default: the current one. */
	period: z.iso.date().optional(),
});
