import type { Interval } from "#server/accounting/calendar.ts";
import { explainVariance } from "#server/accounting/variance.ts";
import { describeVariance } from "#server/accounting/variance-sentence.ts";
import type { VarianceCause } from "#server/domain/variance-cause.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { previousRange } from "./comparison.ts";
import { NO_FILTERS, type SpendFilters } from "./filters.ts";
import { spendRange } from "./range.ts";
import { type CellQuery, readMoneyCells } from "./variance-cells.ts";

export interface VarianceQuery {
	fromMs: number;
	toMs: number;
	filters?: SpendFilters | undefined;
}

/** The elapsed part of a range, and its comparison range. */
export interface ComparedRanges {
	after: Interval;
	before: Interval;
}

export interface VarianceView extends ComparedRanges {
	beforeMicroUsd: bigint;
	afterMicroUsd: bigint;
	byCause: Record<VarianceCause, bigint>;
	parts: { cause: VarianceCause; team: string; project: string; microUsd: bigint; beforeGpuMs: bigint; afterGpuMs: bigint }[];
	/** The largest cause, as text; null when nothing changed. */
	sentence: string | null;
}

/** Maximum number of listed lines of work. */
export const PARTS_MAX = 30;

/**
 * Why a range cost more or less than the previous one. Compares whole ranges, or for an unfinished range the same part of
 * both. null before the first full hour.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function spendVariance(
	ctx: Pick<ServiceContext, "actor" | "db" | "clock">,
	input: VarianceQuery,
): Promise<VarianceView | null> {
	const cells = await readBothRanges(ctx, input, (query) => readMoneyCells(ctx.db, query));
	if (cells === null) return null;
	const { after, before } = cells;
	const variance = explainVariance(before.cells, after.cells);
	return {
		...{ after: after.range, before: before.range, byCause: variance.byCause, sentence: describeVariance(variance) },
		...{ beforeMicroUsd: variance.beforeAmount, afterMicroUsd: variance.afterAmount },
		parts: variance.parts.slice(0, PARTS_MAX).map(({ amount, ...part }) => ({ ...part, microUsd: amount })),
	};
}

/**
 * The cells of a range and of its comparison range, for the teams that the actor may see. null before the first full hour.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function readBothRanges<Cell>(
	ctx: Pick<ServiceContext, "actor" | "db" | "clock">,
	input: VarianceQuery,
	read: (query: CellQuery) => Promise<Cell[]>,
): Promise<Record<keyof ComparedRanges, { range: Interval; cells: Cell[] }> | null> {
	const teams = teamScope(ctx, "spend:read");
	const calendar = await ledgerCalendar(ctx.db);
	const range = spendRange(input, calendar);
	const before = previousRange(range, ctx.clock.nowMs(), calendar);
	if (before === null) return null;
	const after = { fromMs: range.fromMs, toMs: Math.min(range.toMs, ctx.clock.nowMs()) };
	const cellsOf = (of: Interval) => read({ range: spendRange(of, calendar), filters: input.filters ?? NO_FILTERS, teams, calendar });
	const [cellsBefore, cellsAfter] = await Promise.all([cellsOf(before), cellsOf(after)]);
	return { after: { range: after, cells: cellsAfter }, before: { range: before, cells: cellsBefore } };
}
