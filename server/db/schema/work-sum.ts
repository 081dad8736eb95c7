import { index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { bigInt, instant, microUsd } from "./columns.ts";
import { capacityType, granularity } from "./enums.ts";

/**
 * Sums of attempts that grow with days and kinds of work, not with jobs. The database (migration 0019) updates them at
 * the end of each transaction that changes an attempt. `lost`: charged attempts that ended without finishing their
 * job's command, by end time. `burst`: first attempts that started in a cloud, by placement time. By day only for
 * dimension "", by month for all. Each row exists once for its team and once for team "", the whole company.
 */
export const attemptSum = pgTable(
	"attempt_sum",
	{
		sumOf: text({ enum: ["lost", "burst"] }).notNull(),
		granularity: granularity().notNull(),
		/** In the ledger's calendar. */
		bucketStart: instant().notNull(),
		dimension: text().notNull(),
		team: text().notNull(),
		key: text().notNull(),
		/** How lost attempts ended; "" for `burst`. */
		state: text().notNull(),
		capacityType: capacityType().notNull(),
		attempts: bigInt().notNull(),
		costMicroUsd: microUsd().notNull(),
		gpuMs: bigInt().notNull(),
		/** For `burst`: jobs that could never run at home, and Σ (forecast start at home − actual start) of the others. */
		withoutHome: bigInt().notNull(),
		savedMs: bigInt().notNull(),
	},
	(t) => [
		primaryKey({
			name: "attempt_sum_pk",
			columns: [t.sumOf, t.granularity, t.dimension, t.team, t.bucketStart, t.key, t.state, t.capacityType],
		}),
	],
);

/** The lowest price paid for a kind of machine in a month of the ledger's calendar; updated by the database in the same way. */
export const takenPrice = pgTable(
	"taken_price",
	{
		monthStart: instant().notNull(),
		accelerator: text().notNull(),
		siteId: text().notNull(),
		provider: text().notNull(),
		region: text().notNull(),
		instanceType: text().notNull(),
		capacityType: capacityType().notNull(),
		gpus: integer().notNull(),
		microUsdPerHour: microUsd().notNull(),
	},
	(t) => [
		primaryKey({
			name: "taken_price_pk",
			columns: [t.monthStart, t.accelerator, t.siteId, t.provider, t.region, t.instanceType, t.capacityType, t.gpus],
		}),
	],
);

/** Jobs with charges in more than one month, from the first to the last, with their total cost. Updated with job_month. */
export const jobSpan = pgTable(
	"job_span",
	{
		jobId: text().primaryKey(),
		team: text().notNull(),
		firstMonth: instant().notNull(),
		lastMonth: instant().notNull(),
		effectiveMicroUsd: microUsd().notNull(),
	},
	(t) => [
		index("job_span_dearest").on(t.firstMonth, t.effectiveMicroUsd.desc().nullsFirst(), t.jobId, t.lastMonth, t.team),
		index("job_span_team_dearest").on(t.firstMonth, t.team, t.effectiveMicroUsd.desc().nullsFirst(), t.jobId, t.lastMonth),
		index("job_span_last").on(t.lastMonth, t.firstMonth, t.jobId, t.team),
	],
);
