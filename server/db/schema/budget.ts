import { sql } from "drizzle-orm";
import { bigint, boolean, check, index, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { emissionSums, sums } from "./charge.ts";
import { instant, microUsd } from "./columns.ts";
import { holdState } from "./enums.ts";

/**
 * One period of one budget of the published policy. Admission locks these rows: free = cap − posted − held is checked
 * and held is raised in the transaction that writes the intent, so that concurrent submissions never overspend.
 */
export const budgetPeriod = pgTable(
	"budget_period",
	{
		budgetId: text().notNull(),
		/** First day of the period, e.g. 2026-11-01. */
		periodKey: text().notNull(),
		postedMicroUsd: microUsd().notNull().default(sql`0`),
		/** Sum over pending holds of (amount − posted). */
		heldMicroUsd: microUsd().notNull().default(sql`0`),
	},
	(t) => [primaryKey({ columns: [t.budgetId, t.periodKey] }), check("budget_period_held_not_negative", sql`${t.heldMicroUsd} >= 0`)],
);

/** The worst case of one instance, reserved at placement. */
export const hold = pgTable(
	"hold",
	{
		id: text().primaryKey(),
		instanceId: text().notNull(),
		/** Reserved by a prewarm rule for the time without a job; else for the job. */
		warm: boolean().notNull().default(false),
		amountMicroUsd: microUsd().notNull(),
		/** Charged so far, at most the amount unless the instance outlived its expiry. */
		postedMicroUsd: microUsd().notNull().default(sql`0`),
		state: holdState().notNull().default("pending"),
		createdAt: instant().notNull(),
		closedAt: instant(),
	},
	(t) => [
		uniqueIndex("hold_instance").on(t.instanceId, t.warm),
		index("hold_pending").on(t.state).where(sql`${t.state} = 'pending'`),
		// Prepaid capacity may cost nothing.
		check("hold_amount_not_negative", sql`${t.amountMicroUsd} >= 0`),
	],
);

/** Which budget periods a hold counts against. */
export const holdBudget = pgTable(
	"hold_budget",
	{
		holdId: text()
			.notNull()
			.references(() => hold.id),
		budgetId: text().notNull(),
		periodKey: text().notNull(),
	},
	(t) => [primaryKey({ columns: [t.holdId, t.budgetId] })],
);

/** The scope and period that a budget's sums were counted for. If the policy changes them, the sums are recounted. */
export const budgetCount = pgTable("budget_count", {
	budgetId: text().primaryKey(),
	scope: text().notNull(),
	period: text().notNull(),
	countedAt: instant().notNull(),
	/** Recounted after all placements under the previous policy have ended. */
	confirmed: boolean().notNull(),
});

/** Amounts posted to a budget by ledger day and team; written with budget_period under the same lock. */
export const budgetDay = pgTable(
	"budget_day",
	{ budgetId: text().notNull(), dayStart: instant().notNull(), team: text().notNull(), postedMicroUsd: microUsd().notNull() },
	(t) => [primaryKey({ columns: [t.budgetId, t.dayStart, t.team] })],
);

/** Amounts posted to a budget period per job. */
export const budgetJob = pgTable(
	"budget_job",
	{ budgetId: text().notNull(), periodKey: text().notNull(), jobId: text().notNull(), postedMicroUsd: microUsd().notNull() },
	(t) => [
		primaryKey({ columns: [t.budgetId, t.periodKey, t.jobId] }),
		index("budget_job_dearest").on(t.budgetId, t.periodKey, t.postedMicroUsd.desc().nullsFirst()),
	],
);

/** Charges of the jobs in budget_job by ledger day and team; written with it under the same lock. */
export const budgetSlice = pgTable(
	"budget_slice",
	{
		budgetId: text().notNull(),
		periodKey: text().notNull(),
		dayStart: instant().notNull(),
		team: text().notNull(),
		postedMicroUsd: microUsd().notNull(),
		...sums,
		...emissionSums,
		charges: bigint({ mode: "number" }).notNull(),
	},
	(t) => [primaryKey({ columns: [t.budgetId, t.periodKey, t.dayStart, t.team] })],
);
