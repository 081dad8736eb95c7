import { sql } from "drizzle-orm";
import { bigint, boolean, check, index, pgSequence, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { CHARGE_CORRECTIONS, SLICE_DIMENSIONS } from "../../domain/charge.ts";
import { bigInt, instant, microUsd } from "./columns.ts";
import { capacityType, chargeKind, granularity, provider } from "./enums.ts";

const dimensions = {
	team: text().notNull(),
	project: text().notNull(),
	class: text().notNull(),
	siteId: text().notNull(),
	provider: provider().notNull(),
	region: text().notNull(),
	capacityType: capacityType().notNull(),
	accelerator: text().notNull(),
	kind: chargeKind().notNull(),
};

export const sums = {
	gpuMs: bigInt().notNull(),
	listMicroUsd: microUsd().notNull(),
	contractedMicroUsd: microUsd().notNull(),
	effectiveMicroUsd: microUsd().notNull(),
	billedMicroUsd: microUsd().notNull(),
	energyMilliWh: bigInt().notNull(),
	measuredEnergyMilliWh: bigInt().notNull(),
	hourlyGridMilliWh: bigInt().notNull(),
};

/** Null if unknown. */
const emissions = {
	emissionsMilligrams: bigInt(),
	marketEmissionsMilligrams: bigInt(),
	embodiedMilligrams: bigInt(),
};

/** Sums of known values, and the GPU time without them. */
export const emissionSums = {
	emissionsMilligrams: bigInt().notNull(),
	marketEmissionsMilligrams: bigInt().notNull(),
	embodiedMilligrams: bigInt().notNull(),
	emissionsUnknownGpuMs: bigInt().notNull(),
	marketUnknownGpuMs: bigInt().notNull(),
	embodiedUnknownGpuMs: bigInt().notNull(),
};

export const chargeNumber = pgSequence("charge_number", { cache: 1 });

/**
 * Insert-only, enforced by a trigger; new rows correct old ones. Partitioned by UTC month of periodStart;
 * spillway_charge_month() creates a month's partition before its first row.
 */
export const charge = pgTable(
	"charge",
	{
		id: text().notNull(),
		periodStart: instant().notNull(),
		periodEnd: instant().notNull(),
		/** When it was written, by the writer's clock. */
		postedAt: instant().notNull(),
		/**
		 * Assigned during the insert, under the table lock that closing a month takes exclusively. A closed statement contains
		 * exactly the charges up to its number, whatever the clocks say. 0: written before numbers existed.
		 */
		number: bigint({ mode: "number" }).notNull().default(sql`nextval('charge_number')`),
		...dimensions,
		jobId: text(),
		attemptId: text(),
		instanceId: text(),
		allocationId: text(),
		poolId: text(),
		billLineId: text(),
		/** The stored or delivered result, or the copied data set. */
		artifactId: text(),
		correction: text({ enum: CHARGE_CORRECTIONS }),
		...sums,
		...emissions,
	},
	(t) => [
		primaryKey({ columns: [t.id, t.periodStart] }),
		index("charge_job").on(t.jobId),
		index("charge_period").on(t.periodStart, t.id),
		index("charge_instance").on(t.instanceId),
		index("charge_artifact").on(t.artifactId).where(sql`artifact_id is not null`),
		// Recent charges are at the end of a partition, so this index stays at a few kilobytes.
		index("charge_posted").using("brin", t.number, t.postedAt).with({ autosummarize: true }),
		// Corrections from bills: a few hundred out of a month's millions of rows.
		index("charge_of_bills").on(t.periodStart).where(sql`bill_line_id is not null or correction in ('bill_price', 'bill_time')`),
		check("charge_has_cause", sql`num_nonnulls(${t.instanceId}, ${t.allocationId}, ${t.poolId}, ${t.billLineId}, ${t.artifactId}) = 1`),
		check("charge_period_order", sql`${t.periodStart} < ${t.periodEnd}`),
		check(
			"charge_within_hour",
			sql`date_trunc('hour', ${t.periodStart}, 'UTC') = date_trunc('hour', ${t.periodEnd} - interval '1 millisecond', 'UTC')`,
		),
	],
);

/** Sums of charges by bucket and dimensions, kept in the transaction that inserts the charges. */
export const rollup = pgTable(
	"rollup",
	{
		granularity: granularity().notNull(),
		bucketStart: instant().notNull(),
		...dimensions,
		...sums,
		...emissionSums,
		charges: bigint({ mode: "number" }).notNull(),
	},
	(t) => [
		primaryKey({
			columns: [
				t.granularity,
				t.bucketStart,
				t.team,
				t.project,
				t.class,
				t.siteId,
				t.provider,
				t.region,
				t.capacityType,
				t.accelerator,
				t.kind,
			],
		}),
	],
);

/**
 * The same sums by day and month for one dimension at a time: a year by region reads thousands of rows instead of a
 * hundred thousand. The slices of each dimension add up to all charges.
 */
export const rollupSlice = pgTable(
	"rollup_slice",
	{
		granularity: granularity().notNull(),
		dimension: text({ enum: SLICE_DIMENSIONS }).notNull(),
		bucketStart: instant().notNull(),
		/** The dimension's value; "" where the dimension is "". */
		key: text().notNull(),
		team: text().notNull(),
		capacityType: capacityType().notNull(),
		/** Owned capacity that no job used, including its corrections. */
		idle: boolean().notNull(),
		...sums,
		...emissionSums,
		charges: bigint({ mode: "number" }).notNull(),
	},
	(t) => [
		primaryKey({ name: "rollup_slice_pk", columns: [t.granularity, t.dimension, t.bucketStart, t.key, t.team, t.capacityType, t.idle] }),
	],
);

/** Sums of a job's charges by month, for the top jobs of a statement or a range. */
export const jobMonth = pgTable(
	"job_month",
	{
		/** First instant of the month of the ledger's calendar. */
		monthStart: instant().notNull(),
		jobId: text().notNull(),
		team: text().notNull(),
		...sums,
		...emissionSums,
		charges: bigint({ mode: "number" }).notNull(),
		/** Cost of cloud instances counted in budgets (accounting/budget-cost.ts). */
		cloudMicroUsd: microUsd().notNull().default(sql`0`),
		/** Whether the job has charges in other months too. */
		several: boolean().notNull().default(false),
	},
	(t) => [
		primaryKey({ columns: [t.monthStart, t.jobId] }),
		index("job_month_job").on(t.jobId),
		index("job_month_several").on(t.monthStart, t.jobId, t.team, t.effectiveMicroUsd).where(sql`${t.several}`),
		index("job_month_dearest").on(t.monthStart, t.effectiveMicroUsd.desc().nullsFirst()),
		index("job_month_team_dearest").on(t.monthStart, t.team, t.effectiveMicroUsd.desc().nullsFirst()),
	],
);
