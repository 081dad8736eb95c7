import { and, eq, inArray, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { RollupSums } from "#server/accounting/rollup.ts";
import type { MonthFacts, MonthRow } from "#server/accounting/statement-facts.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { rollup, rollupSlice } from "#server/db/schema/charge.ts";
import { CHARGE_KINDS } from "#server/domain/charge.ts";
import { type LedgerMonth, previousMonth } from "./month.ts";

const sum = (column: AnyPgColumn) => sql<bigint>`sum(${column})`.mapWith((v: unknown) => BigInt(String(v)));

function sumsOf(t: typeof rollup | typeof rollupSlice) {
	return {
		gpuMs: sum(t.gpuMs),
		listMicroUsd: sum(t.listMicroUsd),
		contractedMicroUsd: sum(t.contractedMicroUsd),
		effectiveMicroUsd: sum(t.effectiveMicroUsd),
		billedMicroUsd: sum(t.billedMicroUsd),
		energyMilliWh: sum(t.energyMilliWh),
		measuredEnergyMilliWh: sum(t.measuredEnergyMilliWh),
		hourlyGridMilliWh: sum(t.hourlyGridMilliWh),
		emissionsMilligrams: sum(t.emissionsMilligrams),
		marketEmissionsMilligrams: sum(t.marketEmissionsMilligrams),
		embodiedMilligrams: sum(t.embodiedMilligrams),
		emissionsUnknownGpuMs: sum(t.emissionsUnknownGpuMs),
		marketUnknownGpuMs: sum(t.marketUnknownGpuMs),
		embodiedUnknownGpuMs: sum(t.embodiedUnknownGpuMs),
		charges: sql<number>`sum(${t.charges})`.mapWith(Number),
	} satisfies Record<keyof RollupSums, unknown>;
}

/** Placeholder values for dimensions that a sum lacks. */
const UNKNOWN_VALUES = { project: "", provider: "local", accelerator: "", kind: "compute" } as const;

/** The charges of one statement ("" is the company's), from its stored slices: a few hundred rows. */
export async function readRowsOf(
	db: DbOrTx,
	month: LedgerMonth,
	team: string,
): Promise<Pick<MonthFacts, "rows" | "projectRows" | "itemRows">> {
	const rows = (await readSlices(db, month, team, "kind")).flatMap(({ key, ...row }): MonthRow[] => {
		const kind = CHARGE_KINDS.find((k) => k === key);
		return kind ? [{ ...UNKNOWN_VALUES, ...row, kind }] : [];
	});
	const projects = await readSlices(db, month, team, "project");
	const projectRows = projects.map(({ key, ...row }): MonthRow => ({ ...UNKNOWN_VALUES, ...row, project: key }));
	return { rows, projectRows, itemRows: await readItems(db, month, team) };
}

async function readSlices(db: DbOrTx, month: LedgerMonth, team: string, dimension: "kind" | "project") {
	const { key, capacityType, idle, bucketStart } = rollupSlice;
	const rows = await db
		.select({ bucketStart, key, team: rollupSlice.team, capacityType, idle, ...sumsOf(rollupSlice) })
		.from(rollupSlice)
		.where(
			and(
				eq(rollupSlice.granularity, "month"),
				eq(rollupSlice.dimension, dimension),
				inArray(bucketStart, [new Date(month.fromMs), new Date(previousMonth(month).fromMs)]),
				team === "" ? undefined : eq(rollupSlice.team, team),
			),
		)
		.groupBy(bucketStart, key, rollupSlice.team, capacityType, idle);
	return rows.map(({ bucketStart: at, ...row }) => {
		return { ...row, month: at.getTime() === month.fromMs ? ("this" as const) : ("previous" as const) };
	});
}

/** For the company in total, for a team by project. */
async function readItems(db: DbOrTx, month: LedgerMonth, team: string): Promise<MonthRow[]> {
	const idle = sql<boolean>`(${rollup.capacityType} = 'owned' and ${rollup.class} = '')`;
	const project = team === "" ? sql<string>`''` : sql<string>`${rollup.project}`;
	const { provider, capacityType, accelerator, kind } = rollup;
	const rows = await db
		.select({ project: project.as("project"), provider, capacityType, accelerator, kind, idle: idle.as("idle"), ...sumsOf(rollup) })
		.from(rollup)
		.where(
			and(eq(rollup.granularity, "month"), eq(rollup.bucketStart, new Date(month.fromMs)), team === "" ? undefined : eq(rollup.team, team)),
		)
		.groupBy(...(team === "" ? [] : [rollup.project]), provider, capacityType, accelerator, kind, idle);
	return rows.map((row) => ({ ...row, month: "this", team }));
}
