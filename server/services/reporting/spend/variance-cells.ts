import { and, eq, gte, inArray, lt, or, type SQL, sql } from "drizzle-orm";
import type { Interval } from "#server/accounting/calendar.ts";
import type { CarbonCell } from "#server/accounting/carbon-variance.ts";
import { coverRange } from "#server/accounting/cover-range.ts";
import type { VarianceCell } from "#server/accounting/variance.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { rollup } from "#server/db/schema/charge.ts";
import { job } from "#server/db/schema/job.ts";
import { LOST_STATES } from "#server/domain/lost-work.ts";
import { NO_FILTERS, passes, type SpendFilters } from "./filters.ts";

/** `teams`: null reads every team, rows without a team included. */
export interface CellQuery {
	range: Interval;
	filters: SpendFilters;
	teams: readonly string[] | null;
	calendar: Calendar;
}

/** The cells of a whole range for every team, as input for variances. */
export function readVarianceCells(db: DbOrTx, range: Interval, calendar: Calendar): Promise<VarianceCell[]> {
	return readMoneyCells(db, { range, filters: NO_FILTERS, teams: null, calendar });
}

/** Amounts in micro-dollars of effective cost. */
export async function readMoneyCells(db: DbOrTx, query: CellQuery): Promise<VarianceCell[]> {
	return (await readCells(db, query, { amount: sumOf(sql`${rollup.effectiveMicroUsd}`) })).map(({ cell, lost }) => ({
		...cell,
		...{ lostGpuMs: least(lost.gpuMs, cell.gpuMs), lostAmount: least(lost.microUsd, cell.amount) },
	}));
}

export async function readCarbonCells(db: DbOrTx, query: CellQuery): Promise<CarbonCell[]> {
	const columns = {
		energyMilliWh: sumOf(sql`${rollup.energyMilliWh}`),
		operationalMilligrams: sumOf(sql`${rollup.emissionsMilligrams}`),
		operationalUnknownGpuMs: sumOf(sql`${rollup.emissionsUnknownGpuMs}`),
		embodiedMilligrams: sumOf(sql`${rollup.embodiedMilligrams}`),
		embodiedUnknownGpuMs: sumOf(sql`${rollup.embodiedUnknownGpuMs}`),
	};
	return (await readCells(db, query, columns)).map(({ cell, lost }) => ({ ...cell, lostGpuMs: least(lost.gpuMs, cell.gpuMs) }));
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);
const sumOf = (column: SQL) => sql`sum(${column})`.mapWith((v: unknown) => BigInt(String(v)));

/** Each combination of dimensions with its sums. `lost` can exceed the cell, because attempts may have charges before the range. */
async function readCells<Columns extends Record<string, SQL<bigint>>>(db: DbOrTx, query: CellQuery, columns: Columns) {
	const { range, filters, teams, calendar } = query;
	const within = coverRange(range, "month", calendar).map((s) =>
		and(eq(rollup.granularity, s.granularity), gte(rollup.bucketStart, new Date(s.fromMs)), lt(rollup.bucketStart, new Date(s.toMs))),
	);
	if (within.length === 0 || teams?.length === 0) return [];
	const cells = await db
		.select({
			...{ team: rollup.team, project: rollup.project, siteId: rollup.siteId, region: rollup.region, kind: rollup.kind },
			...{ capacityType: rollup.capacityType, accelerator: rollup.accelerator },
			idle: sql<boolean>`(${rollup.capacityType} = 'owned' and ${rollup.class} = '')`,
			gpuMs: sumOf(sql`${rollup.gpuMs}`),
			...columns,
		})
		.from(rollup)
		.where(and(or(...within), passes(rollup, filters, teams)))
		.groupBy(sql`1, 2, 3, 4, 5, 6, 7, 8`);
	const lost = await readLost(db, range);
	// Only compute is counted as lost.
	const lostOf = (cell: (typeof cells)[number]) => (cell.kind === "compute" && !cell.idle ? lost.get(placeKey(cell)) : undefined) ?? NONE;
	return cells.map((cell) => ({ cell, lost: lostOf(cell) }));
}

interface Lost {
	gpuMs: bigint;
	microUsd: bigint;
}
const NONE: Lost = { gpuMs: 0n, microUsd: 0n };

const placeKey = (c: Pick<VarianceCell, "team" | "project" | "siteId" | "region" | "capacityType" | "accelerator">): string =>
	JSON.stringify([c.team, c.project, c.siteId, c.region, c.capacityType, c.accelerator]);

/** Cost of attempts that ended in the range without a result, by line of work and place. */
async function readLost(db: DbOrTx, { fromMs, toMs }: Interval): Promise<Map<string, Lost>> {
	const rows = await db
		.select({
			...{ team: attempt.team, project: job.project, siteId: attempt.siteId, capacityType: attempt.capacityType },
			region: sql<string>`coalesce(${attempt.placement}->>'region', '')`,
			accelerator: sql<string>`coalesce(${attempt.placement}->>'accelerator', '')`,
			...{ gpuMs: sumOf(sql`${attempt.gpuMs}`), microUsd: sumOf(sql`${attempt.costMicroUsd}`) },
		})
		.from(attempt)
		.innerJoin(job, eq(job.id, attempt.jobId))
		.where(and(inArray(attempt.state, [...LOST_STATES]), gte(attempt.finishedAt, new Date(fromMs)), lt(attempt.finishedAt, new Date(toMs))))
		.groupBy(sql`1, 2, 3, 4, 5, 6`);
	return new Map(rows.map((row) => [placeKey(row), row]));
}
