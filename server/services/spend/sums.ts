import { and, eq, gte, inArray, lt, or, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { Segment } from "#server/accounting/cover-range.ts";
import { rollup } from "#server/db/schema/charge.ts";

/** Money, time and CO2 of a group. Money is effective cost; owned + idle + cloud is all of it. */
export interface SpendSums {
	/** Owned hardware while jobs used it. */
	ownedMicroUsd: bigint;
	/** Owned hardware that nobody used. */
	idleMicroUsd: bigint;
	cloudMicroUsd: bigint;
	totalMicroUsd: bigint;
	/** The parts of cloudMicroUsd by capacity type. */
	spotMicroUsd: bigint;
	onDemandMicroUsd: bigint;
	reservedMicroUsd: bigint;
	/** GPU time that jobs held, at home and in clouds. */
	gpuMs: bigint;
	ownedGpuMs: bigint;
	cloudGpuMs: bigint;
	/** The parts of cloudGpuMs by capacity type. */
	spotGpuMs: bigint;
	onDemandGpuMs: bigint;
	reservedGpuMs: bigint;
	idleGpuMs: bigint;
	energyMilliWh: bigint;
	/** Estimated, where an intensity is known. */
	emissionsMilligrams: bigint;
}

/** Idle capacity is the owned capacity of no workload class, its corrections included. */
const isIdle = sql`${rollup.capacityType} = 'owned' and ${rollup.class} = ''`;
const isOwnedUse = sql`${rollup.capacityType} = 'owned' and ${rollup.class} <> ''`;
const isOf = (capacity: "spot" | "on_demand" | "reserved") => sql`${rollup.capacityType} = ${sql.raw(`'${capacity}'`)}`;

const sumOf = (column: AnyPgColumn, where?: SQL) =>
	sql<bigint>`coalesce(sum(${column})${where ? sql` filter (where ${where})` : sql``}, 0)`.mapWith((value: unknown) =>
		BigInt(String(value)),
	);

/** What a SELECT over `rollup` takes; the other sums follow from these (toSpend), which spares the database a third. */
export const SPEND_COLUMNS = {
	ownedMicroUsd: sumOf(rollup.effectiveMicroUsd, isOwnedUse),
	idleMicroUsd: sumOf(rollup.effectiveMicroUsd, isIdle),
	spotMicroUsd: sumOf(rollup.effectiveMicroUsd, isOf("spot")),
	onDemandMicroUsd: sumOf(rollup.effectiveMicroUsd, isOf("on_demand")),
	reservedMicroUsd: sumOf(rollup.effectiveMicroUsd, isOf("reserved")),
	ownedGpuMs: sumOf(rollup.gpuMs, isOwnedUse),
	spotGpuMs: sumOf(rollup.gpuMs, isOf("spot")),
	onDemandGpuMs: sumOf(rollup.gpuMs, isOf("on_demand")),
	reservedGpuMs: sumOf(rollup.gpuMs, isOf("reserved")),
	idleGpuMs: sumOf(rollup.gpuMs, isIdle),
	energyMilliWh: sumOf(rollup.energyMilliWh),
	emissionsMilligrams: sumOf(rollup.emissionsMilligrams),
};

export function toSpend(row: { [Name in keyof typeof SPEND_COLUMNS]: bigint }): SpendSums {
	const cloudMicroUsd = row.spotMicroUsd + row.onDemandMicroUsd + row.reservedMicroUsd;
	const cloudGpuMs = row.spotGpuMs + row.onDemandGpuMs + row.reservedGpuMs;
	return {
		ownedMicroUsd: row.ownedMicroUsd,
		idleMicroUsd: row.idleMicroUsd,
		cloudMicroUsd,
		totalMicroUsd: row.ownedMicroUsd + row.idleMicroUsd + cloudMicroUsd,
		spotMicroUsd: row.spotMicroUsd,
		onDemandMicroUsd: row.onDemandMicroUsd,
		reservedMicroUsd: row.reservedMicroUsd,
		gpuMs: row.ownedGpuMs + cloudGpuMs,
		ownedGpuMs: row.ownedGpuMs,
		cloudGpuMs,
		spotGpuMs: row.spotGpuMs,
		onDemandGpuMs: row.onDemandGpuMs,
		reservedGpuMs: row.reservedGpuMs,
		idleGpuMs: row.idleGpuMs,
		energyMilliWh: row.energyMilliWh,
		emissionsMilligrams: row.emissionsMilligrams,
	};
}

export const NO_SPEND: SpendSums = {
	...{ ownedMicroUsd: 0n, idleMicroUsd: 0n, cloudMicroUsd: 0n, totalMicroUsd: 0n },
	...{ spotMicroUsd: 0n, onDemandMicroUsd: 0n, reservedMicroUsd: 0n },
	...{
		gpuMs: 0n,
		ownedGpuMs: 0n,
		cloudGpuMs: 0n,
		spotGpuMs: 0n,
		onDemandGpuMs: 0n,
		reservedGpuMs: 0n,
		idleGpuMs: 0n,
		energyMilliWh: 0n,
		emissionsMilligrams: 0n,
	},
};

export function addSpend(a: SpendSums, b: SpendSums): SpendSums {
	return {
		ownedMicroUsd: a.ownedMicroUsd + b.ownedMicroUsd,
		idleMicroUsd: a.idleMicroUsd + b.idleMicroUsd,
		cloudMicroUsd: a.cloudMicroUsd + b.cloudMicroUsd,
		totalMicroUsd: a.totalMicroUsd + b.totalMicroUsd,
		spotMicroUsd: a.spotMicroUsd + b.spotMicroUsd,
		onDemandMicroUsd: a.onDemandMicroUsd + b.onDemandMicroUsd,
		reservedMicroUsd: a.reservedMicroUsd + b.reservedMicroUsd,
		gpuMs: a.gpuMs + b.gpuMs,
		ownedGpuMs: a.ownedGpuMs + b.ownedGpuMs,
		cloudGpuMs: a.cloudGpuMs + b.cloudGpuMs,
		spotGpuMs: a.spotGpuMs + b.spotGpuMs,
		onDemandGpuMs: a.onDemandGpuMs + b.onDemandGpuMs,
		reservedGpuMs: a.reservedGpuMs + b.reservedGpuMs,
		idleGpuMs: a.idleGpuMs + b.idleGpuMs,
		energyMilliWh: a.energyMilliWh + b.energyMilliWh,
		emissionsMilligrams: a.emissionsMilligrams + b.emissionsMilligrams,
	};
}

/** The rollup rows of these segments, for these teams (null: all, with what belongs to no team). */
export function rollupsOf(segments: readonly Segment[], teams: readonly string[] | null): SQL | undefined {
	if (segments.length === 0 || teams?.length === 0) return sql`false`;
	return and(
		or(
			...segments.map((s) =>
				and(eq(rollup.granularity, s.granularity), gte(rollup.bucketStart, new Date(s.fromMs)), lt(rollup.bucketStart, new Date(s.toMs))),
			),
		),
		teams === null ? undefined : inArray(rollup.team, [...teams]),
	);
}
