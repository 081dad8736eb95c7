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

/** Null where nobody knows. */
const emissions = {
	emissionsMilligrams: bigInt(),
	marketEmissionsMilligrams: bigInt(),
	embodiedMilligrams: bigInt(),
};

/** Sums of what is known, and the GPU time of what is not. */
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
 * Insert-only (a trigger refuses the rest); corrected by new rows. Partitioned by UTC month of periodStart (migration
 * 0006); a month's partition is made by spillway_charge_month(), ahead of it or before its first row.
 */
export const charge = pgTable(
	"charge",
	{
		id: text().notNull(),
		periodStart: instant().notNull(),
		periodEnd: instant().notNull(),
		/** When it was written, by the clock of who wrote it. */
		postedAt: instant().notNull(),
		/**
		 * Drawn while the row is inserted, so under the table's lock, which closing a month takes alone: of a closed statement are
		 * exactly the charges up to its number, whatever clocks say and however long their writers waited. 0: from before numbers.
		 */
		number: bigint({ mode: "number" }).notNull().default(sql`nextval('charge_number')`),
		...dimensions,
		jobId: text(),
		attemptId: text(),
		instanceId: text(),
		allocationId: text(),
		poolId: text(),
		billLineId: text(),
		correction: text({ enum: CHARGE_CORRECTIONS }),
		...sums,
		...emissions,
	},
	(t) => [
		primaryKey({ columns: [t.id, t.periodStart] }),
		index("charge_job").on(t.jobId),
		index("charge_period").on(t.periodStart, t.id),
		index("charge_instance").on(t.instanceId),
		// What was posted lately lies at the end of its partition: some kilobytes of index, and next to nothing to keep.
		index("charge_posted").using("brin", t.number, t.postedAt).with({ autosummarize: true }),
		// Of a month's millions some hundreds: what its bills corrected and brought.
		index("charge_of_bills").on(t.periodStart).where(sql`bill_line_id is not null or correction in ('bill_price', 'bill_time')`),
		check("charge_has_cause", sql`num_nonnulls(${t.instanceId}, ${t.allocationId}, ${t.poolId}, ${t.billLineId}) = 1`),
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
 * The same sums by day and month with all dimensions but one folded together: a year by region is then some thousand rows
 * rather than a hundred thousand. Kept beside the rollups; every dimension's slices add up to all charges.
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
		/** Owned capacity that no job used, corrections of it included. */
		idle: boolean().notNull(),
		...sums,
		...emissionSums,
		charges: bigint({ mode: "number" }).notNull(),
	},
	(t) => [
		primaryKey({ name: "rollup_slice_pk", columns: [t.granularity, t.dimension, t.bucketStart, t.key, t.team, t.capacityType, t.idle] }),
	],
);

/** Sums of a job's charges by month: top jobs of a statement, and a range's jobs without reading charges. */
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
		/** What machines of clouds took out of budgets (accounting/budget-cost.ts). */
		cloudMicroUsd: microUsd().notNull().default(sql`0`),
		/** The job has charges of other months too: its sum over a range is not this one. */
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
