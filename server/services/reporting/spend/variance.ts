import { and, eq, gte, inArray, lt, or, type SQL, sql } from "drizzle-orm";
import type { Interval } from "#server/accounting/calendar.ts";
import { coverRange } from "#server/accounting/cover-range.ts";
import { explainVariance, type Variance, type VarianceCell } from "#server/accounting/variance.ts";
import { describeVariance } from "#server/accounting/variance-sentence.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { rollup } from "#server/db/schema/charge.ts";
import { job } from "#server/db/schema/job.ts";
import { LOST_STATES } from "#server/domain/lost-work.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { previousRange } from "./comparison.ts";
import { NO_FILTERS, passes, type SpendFilters } from "./filters.ts";
import { spendRange } from "./range.ts";

export interface VarianceView extends Variance {
	/** The elapsed part of the range, and its comparison range. */
	after: Interval;
	before: Interval;
	/** The largest cause in words; null where nothing changed. */
	sentence: string | null;
}

/** Lines of work that are listed. */
const PARTS_MAX = 30;

/**
 * Why a range cost more or less than the one before it. The whole ranges are compared, or of a range that is not over the same
 * part of both. null where no hour has passed.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function spendVariance(
	ctx: Pick<ServiceContext, "actor" | "db" | "clock">,
	input: { fromMs: number; toMs: number; filters?: SpendFilters | undefined },
): Promise<VarianceView | null> {
	const teams = teamScope(ctx, "spend:read");
	const calendar = await ledgerCalendar(ctx.db);
	const range = spendRange(input, calendar);
	const before = previousRange(range, ctx.clock.nowMs(), calendar);
	if (before === null) return null;
	const after = { fromMs: range.fromMs, toMs: Math.min(range.toMs, ctx.clock.nowMs()) };
	const read = (of: Interval) => readCells(ctx, spendRange(of, calendar), input.filters ?? NO_FILTERS, teams, calendar);
	const [cellsBefore, cellsAfter] = await Promise.all([read(before), read(after)]);
	const variance = explainVariance(cellsBefore, cellsAfter);
	return { ...variance, parts: variance.parts.slice(0, PARTS_MAX), after, before, sentence: describeVariance(variance) };
}

/** The cells of a whole range, of every team, as variances are computed from. */
export function readVarianceCells(db: DbOrTx, range: Interval, calendar: Calendar): Promise<VarianceCell[]> {
	return readCells({ db }, range, NO_FILTERS, null, calendar);
}

const sumOf = (column: SQL) => sql`sum(${column})`.mapWith((v: unknown) => BigInt(String(v)));

async function readCells(
	{ db }: { db: DbOrTx },
	range: Interval,
	filters: SpendFilters,
	teams: readonly string[] | null,
	calendar: Calendar,
): Promise<VarianceCell[]> {
	const within = coverRange(range, "month", calendar).map((s) =>
		and(eq(rollup.granularity, s.granularity), gte(rollup.bucketStart, new Date(s.fromMs)), lt(rollup.bucketStart, new Date(s.toMs))),
	);
	if (within.length === 0 || teams?.length === 0) return [];
	const cells = await db
		.select({
			...{ team: rollup.team, project: rollup.project, siteId: rollup.siteId, region: rollup.region, kind: rollup.kind },
			...{ capacityType: rollup.capacityType, accelerator: rollup.accelerator },
			idle: sql<boolean>`(${rollup.capacityType} = 'owned' and ${rollup.class} = '')`,
			...{ gpuMs: sumOf(sql`${rollup.gpuMs}`), microUsd: sumOf(sql`${rollup.effectiveMicroUsd}`) },
		})
		.from(rollup)
		.where(and(or(...within), passes(rollup, filters, teams)))
		.groupBy(sql`1, 2, 3, 4, 5, 6, 7, 8`);
	const lost = await readLost(db, range);
	return cells.map((cell) => ({ ...cell, ...lostOf(cell, lost) }));
}

interface Lost {
	gpuMs: bigint;
	microUsd: bigint;
}

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

/** An attempt may have been charged before the range: no more is lost than the cell has. Computing alone is counted. */
function lostOf(cell: Omit<VarianceCell, "lostGpuMs" | "lostMicroUsd">, lost: ReadonlyMap<string, Lost>) {
	const found = cell.kind === "compute" && !cell.idle ? lost.get(placeKey(cell)) : undefined;
	const least = (a: bigint, b: bigint) => (a < b ? a : b);
	return { lostGpuMs: least(found?.gpuMs ?? 0n, cell.gpuMs), lostMicroUsd: least(found?.microUsd ?? 0n, cell.microUsd) };
}
