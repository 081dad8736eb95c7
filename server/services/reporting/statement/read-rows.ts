import { and, eq, inArray, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { RollupSums } from "#server/accounting/rollup.ts";
import type { MonthRow, TopJob } from "#server/accounting/statement-facts.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { jobMonth, rollup } from "#server/db/schema/charge.ts";
import { job } from "#server/db/schema/job.ts";
import { type LedgerMonth, previousMonth } from "./month.ts";

const sum = (column: AnyPgColumn) => sql<bigint>`sum(${column})`.mapWith((v: unknown) => BigInt(String(v)));

/** Every sum of a rollup row, for a SELECT. */
const SUMS = {
	gpuMs: sum(rollup.gpuMs),
	listMicroUsd: sum(rollup.listMicroUsd),
	contractedMicroUsd: sum(rollup.contractedMicroUsd),
	effectiveMicroUsd: sum(rollup.effectiveMicroUsd),
	billedMicroUsd: sum(rollup.billedMicroUsd),
	energyMilliWh: sum(rollup.energyMilliWh),
	measuredEnergyMilliWh: sum(rollup.measuredEnergyMilliWh),
	hourlyGridMilliWh: sum(rollup.hourlyGridMilliWh),
	emissionsMilligrams: sum(rollup.emissionsMilligrams),
	marketEmissionsMilligrams: sum(rollup.marketEmissionsMilligrams),
	embodiedMilligrams: sum(rollup.embodiedMilligrams),
	emissionsUnknownGpuMs: sum(rollup.emissionsUnknownGpuMs),
	marketUnknownGpuMs: sum(rollup.marketUnknownGpuMs),
	embodiedUnknownGpuMs: sum(rollup.embodiedUnknownGpuMs),
	charges: sql<number>`sum(${rollup.charges})`.mapWith(Number),
} satisfies Record<keyof RollupSums, unknown>;

/** Sums of the month and the previous one, for all teams. Reads rollups by month, never charges. */
export async function readRows(db: DbOrTx, month: LedgerMonth): Promise<MonthRow[]> {
	const idle = sql<boolean>`(${rollup.capacityType} = 'owned' and ${rollup.class} = '')`;
	const rows = await db
		.select({
			bucketStart: rollup.bucketStart,
			team: rollup.team,
			project: rollup.project,
			provider: rollup.provider,
			capacityType: rollup.capacityType,
			accelerator: rollup.accelerator,
			kind: rollup.kind,
			idle,
			...SUMS,
		})
		.from(rollup)
		.where(
			and(eq(rollup.granularity, "month"), inArray(rollup.bucketStart, [new Date(month.fromMs), new Date(previousMonth(month).fromMs)])),
		)
		.groupBy(rollup.bucketStart, rollup.team, rollup.project, rollup.provider, rollup.capacityType, rollup.accelerator, rollup.kind, idle);
	return rows.map(({ bucketStart, ...row }) => ({ month: bucketStart.getTime() === month.fromMs ? "this" : "previous", ...row }));
}

/** The most expensive jobs of the company ("") and of each given team, each read by index. */
export async function readTopJobs(db: DbOrTx, month: LedgerMonth, teams: readonly string[], count: number): Promise<Map<string, TopJob[]>> {
	const top = new Map<string, TopJob[]>();
	for (const team of teams) {
		const rows = await db
			.select({ month: jobMonth, name: job.name, state: sql<string>`${job.state}::text` })
			.from(jobMonth)
			.innerJoin(job, eq(job.id, jobMonth.jobId))
			.where(and(eq(jobMonth.monthStart, new Date(month.fromMs)), team === "" ? undefined : eq(jobMonth.team, team)))
			.orderBy(sql`${jobMonth.effectiveMicroUsd} desc nulls first`, jobMonth.jobId)
			.limit(count);
		top.set(
			team,
			rows.map(({ month: { monthStart: _, ...sums }, name, state }) => ({ ...sums, name, state })),
		);
	}
	return top;
}
