import { explainCarbonVariance } from "#server/accounting/carbon-variance.ts";
import { describeCarbonVariance } from "#server/accounting/variance-sentence.ts";
import type { CarbonCause } from "#server/domain/variance-cause.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { type ComparedRanges, PARTS_MAX, readBothRanges, type VarianceQuery } from "../spend/variance.ts";
import { readCarbonCells } from "../spend/variance-cells.ts";

export interface CarbonVarianceView extends ComparedRanges {
	/** Operational (location-based) and embodied. */
	beforeMilligrams: bigint;
	afterMilligrams: bigint;
	byCause: Record<CarbonCause, bigint>;
	parts: { cause: CarbonCause; team: string; project: string; milligrams: bigint; beforeGpuMs: bigint; afterGpuMs: bigint }[];
	/** The largest cause, as text; null when nothing changed. */
	sentence: string | null;
}

/**
 * Why a range emitted more or less than the previous one. Compares ranges as Spend does. null before the first full hour.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function carbonVariance(
	ctx: Pick<ServiceContext, "actor" | "db" | "clock">,
	input: VarianceQuery,
): Promise<CarbonVarianceView | null> {
	const cells = await readBothRanges(ctx, input, (query) => readCarbonCells(ctx.db, query));
	if (cells === null) return null;
	const { after, before } = cells;
	const variance = explainCarbonVariance(before.cells, after.cells);
	return {
		...{ after: after.range, before: before.range, byCause: variance.byCause, sentence: describeCarbonVariance(variance) },
		...{ beforeMilligrams: variance.beforeAmount, afterMilligrams: variance.afterAmount },
		parts: variance.parts.slice(0, PARTS_MAX).map(({ amount, ...part }) => ({ ...part, milligrams: amount })),
	};
}
