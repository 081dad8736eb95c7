import { z } from "zod";
import { CHARGE_CORRECTIONS, CHARGE_KINDS } from "#server/domain/charge.ts";
import { LOST } from "#server/domain/lost-work.ts";
import { CAPACITY_TYPES, PROVIDERS, WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { instantMs } from "../parts.ts";
import { currencyCode } from "./currency.ts";

/** Dimensions for grouping and filtering sums and charges. */
export const SPEND_DIMENSIONS = [
	...["team", "project", "class", "provider", "region"],
	...["capacityType", "accelerator", "site", "kind"],
] as const satisfies readonly string[];

const VALUES_MAX = 100;

const names = z.array(z.string().max(200)).max(VALUES_MAX).optional();

/**
 * Keeps charges with one of the given values in each given dimension; a dimension without values keeps all. "" matches
 * charges without a value, such as the team of idle hardware.
 */
export const spendFilters = z.strictObject({
	team: names,
	project: names,
	class: z
		.array(z.enum(["", ...WORKLOAD_CLASSES]))
		.max(VALUES_MAX)
		.optional(),
	provider: z.array(z.enum(PROVIDERS)).max(VALUES_MAX).optional(),
	region: names,
	capacityType: z.array(z.enum(CAPACITY_TYPES)).max(VALUES_MAX).optional(),
	accelerator: names,
	site: names,
	kind: z.array(z.enum(CHARGE_KINDS)).max(VALUES_MAX).optional(),
});

export const refundInput = z.strictObject({
	chargeId: z.string().min(1).max(64),
	/** Dollars of effective cost; default: the rest of the charge. */
	amountUsd: z
		.string()
		.regex(/^\d{1,9}(\.\d{1,6})?$/, "must be an amount of dollars such as 12.50")
		.optional(),
	/** Reason. Kept for auditors. */
	reason: z.string().trim().min(3).max(2_000),
});

/**
 * The most expensive jobs of whole months. `fromMs`, `toMs`: extended to months of the ledger's calendar, because sums
 * of jobs are kept by month. `filters`: team, project and class. `cursor`: nextCursor of the previous page.
 */
export const jobSpendInput = z.strictObject({
	fromMs: instantMs,
	toMs: instantMs,
	filters: spendFilters.default({}),
	cursor: z.string().max(200).optional(),
	limit: z.number().int().min(1).max(500).default(50),
});

/**
 * The charges behind a number. `fromMs`, `toMs`: the number's range, in whole hours. `filters`: the number's own, plus
 * the value of its group. `jobId`: only this job; `cause`: only this machine, allocation, pool, bill line or result,
 * by its id; `correction`: only corrections for one of these reasons. `lost`: only charges of attempts that ended in
 * the range without finishing their command, in one way or in any, whenever they were charged. `withoutIdle`: excludes
 * owned hardware that no job used. `asOf`: the ledger as of a closed version of a statement (`2026-11/1`,
 * `2026-11/1/risk`) or an instant; `since`: only charges posted later than that. `budget`: only charges counted by
 * this budget, by its id. `cursor`: nextCursor of the previous page.
 */
export const listChargesInput = z.strictObject({
	fromMs: instantMs,
	toMs: instantMs,
	filters: spendFilters.default({}),
	jobId: z.string().min(1).max(64).optional(),
	cause: z.string().min(1).max(200).optional(),
	correction: z.array(z.enum(CHARGE_CORRECTIONS)).min(1).max(CHARGE_CORRECTIONS.length).optional(),
	lost: z.enum(LOST).optional(),
	withoutIdle: z.boolean().default(false),
	asOf: z.string().max(200).optional(),
	since: z.string().max(200).optional(),
	budget: z.string().min(1).max(64).optional(),
	cursor: z.string().max(200).optional(),
	limit: z.number().int().min(1).max(500).default(50),
});

export const TIMES = ["day", "week", "month"] as const;

/** By time, or by a dimension. */
export const SPEND_GROUPS = [...TIMES, ...SPEND_DIMENSIONS] as const;

/** Public names of a time range. */
export const TIME_RANGE = { from: "fromMs", to: "toMs" } as const;

/** UTC ms. Default: the last 30 days. */
export const timeRangeInput = z.strictObject({ fromMs: instantMs.optional(), toMs: instantMs.optional() });

const page = { cursor: z.string().max(200).optional(), limit: z.number().int().min(1).max(500).optional() };

const groupOf = <const T extends readonly string[]>(names: T) =>
	z
		.enum(names, { error: ({ input }) => `"${String(input).slice(0, 40)}" is not a dimension: use one of ${names.join(", ")}` })
		.default("team" as T[number]);

/** Sums by a dimension or by time, filtered by any dimension; by job, page by page. */
export const spendQueryInput = timeRangeInput.extend({
	groupBy: groupOf([...SPEND_GROUPS, "job"]),
	currency: currencyCode.optional(),
	...page,
	...spendFilters.shape,
});

/** As sent by pages. */
export const spendInCurrencyInput = z.strictObject({
	fromMs: instantMs,
	toMs: instantMs,
	groupBy: z.enum(SPEND_GROUPS),
	currency: currencyCode,
	filters: spendFilters.default({}),
});

export const varianceQueryInput = timeRangeInput.extend(spendFilters.shape);

/** The filters in one object, as sent by pages. */
export const varianceInput = z.strictObject({ fromMs: z.number().int(), toMs: z.number().int(), filters: spendFilters.default({}) });

export const carbonQueryInput = timeRangeInput.extend({ groupBy: groupOf(SPEND_GROUPS), ...spendFilters.shape });

/**
 * Filters of listChargesInput as separate parameters. `period`: the period of `budget` that contains this day, instead
 * of a time range.
 */
export const chargesQueryInput = listChargesInput.omit({ filters: true }).extend({
	...timeRangeInput.shape,
	period: z.iso.date().optional(),
	...spendFilters.shape,
});
