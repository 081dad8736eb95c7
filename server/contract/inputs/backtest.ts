import { z } from "zod";
import { DEFAULT_POLICY } from "#server/domain/policy.ts";
import { policyName, policyText } from "./policy.ts";

export const BACKTEST_DAYS = [7, 30, 90] as const;

export const listBacktestsInput = z.strictObject({
	name: policyName.default(DEFAULT_POLICY),
	limit: z.number().int().min(1).max(100).default(20),
});

export const startBacktestInput = z.strictObject({
	name: policyName.default(DEFAULT_POLICY),
	/** The draft's text. */
	source: policyText,
	days: z.union(
		BACKTEST_DAYS.map((days) => z.literal(days)),
		{ error: `must be one of ${BACKTEST_DAYS.join(", ")}` },
	),
	/** For editors that start one after each edit: cancels the caller's other backtests of this policy; not in the audit log. */
	replace: z.boolean().default(false),
});

export const getShadowInput = z.strictObject({ name: policyName.default(DEFAULT_POLICY) });

export const startShadowInput = z.strictObject({ name: policyName.default(DEFAULT_POLICY), source: policyText });

export const stopRunningShadowInput = z.strictObject({ name: policyName.default(DEFAULT_POLICY) });
