import { z } from "zod";
import { usdToMicro } from "../kernel/money.ts";
import { DAY_MS } from "../kernel/units.ts";

/** Limits on single values. Limits on the whole document are POLICY_LIMITS in server/policy. */
export const POLICY_VALUE_LIMITS = {
	rules: 200,
	/** Budgets and caps together. */
	budgets: 50,
	shares: 100,
	shareWeight: 1_000,
	pointsPerGpuHour: 100,
	listEntries: 100,
	patternCharacters: 128,
	durationMs: 90 * DAY_MS,
	capUsd: 100_000_000_000,
	gib: 1_000_000_000,
	instances: 100_000,
	queueLength: 1_000_000,
} as const;
const MAX = POLICY_VALUE_LIMITS;

type Ctx = z.RefinementCtx;
/** Reports a problem with its fix at a path of the value. */
export const problem = (ctx: Ctx, message: string, fix: string, path: PropertyKey[] = [], isKey = false): void => {
	ctx.addIssue({ code: "custom", message, path, params: { fix, isKey } });
};

/** Dollars, read as exact micro-dollars. Numbers with more than 15 digits arrive as text. */
export const usd = (unit = "USD") =>
	z
		.union([z.number(), z.string()], "must be an amount in USD of 0 or more, with at most six decimals")
		.transform((written, ctx): bigint => {
			const text = String(written).trim();
			if (/^\d{1,12}(\.\d{1,6}0*)?$/.test(text) && Number(text) <= MAX.capUsd) return usdToMicro(text);
			const digits = /^\$?(\d[\d,_ ]*(\.\d{1,6})?)( ?USD)?$/i.exec(text)?.[1]?.replace(/[,_ ]/g, "");
			const fix = `Write for example ${digits !== undefined && digits.length <= 12 ? digits : "500"}.`;
			problem(ctx, `must be an amount in USD of 0 or more, with at most six decimals, not ${text.slice(0, 40)}`, fix);
			return z.NEVER;
		})
		.meta({ unit });

/** A list must not be empty: an empty one could mean all or none. */
export const list = <T extends z.core.$ZodType>(entry: T) =>
	z.array(entry).min(1, "is empty, which could mean all or none. Name entries, or remove the field").max(MAX.listEntries);
export const choices = <const T extends readonly [string, ...string[]]>(values: T) =>
	list(z.enum(values)).superRefine((chosen, ctx) => {
		const twice = chosen.findIndex((each, index) => chosen.indexOf(each) !== index);
		if (twice >= 0) problem(ctx, `${chosen[twice]} is listed twice.`, "Remove one of them.", [twice]);
	});
