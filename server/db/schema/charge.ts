import { sql } from "drizzle-orm";
import { bigint, check, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
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

const sums = {
	gpuMs: bigInt().notNull(),
	listMicroUsd: microUsd().notNull(),
	contractedMicroUsd: microUsd().notNull(),
	effectiveMicroUsd: microUsd().notNull(),
	billedMicroUsd: microUsd().notNull(),
	energyMilliWh: bigInt().notNull(),
	emissionsMilligrams: bigInt(),
};

/** Insert-only (a trigger refuses the rest); corrected by new rows of kind adjustment. */
export const charge = pgTable(
	"charge",
	{
		id: text().primaryKey(),
		periodStart: instant().notNull(),
		periodEnd: instant().notNull(),
		...dimensions,
		jobId: text(),
		attemptId: text(),
		instanceId: text(),
		allocationId: text(),
		poolId: text(),
		carbonQuality: text({ enum: ["measured", "estimated", "average"] }).notNull(),
		...sums,
	},
	(t) => [
		index("charge_job").on(t.jobId),
		index("charge_period").on(t.periodStart),
		check("charge_has_cause", sql`num_nonnulls(${t.instanceId}, ${t.allocationId}, ${t.poolId}) = 1`),
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
		emissionsMilligrams: bigInt().notNull(),
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
