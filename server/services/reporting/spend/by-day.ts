import type { ServiceContext } from "#server/services/core/context.ts";
import type { SpendFilters } from "./filters.ts";
import { type SpendSeries, spendSeries } from "./series.ts";
import type { SpendSums } from "./sums.ts";

export interface SpendDay extends SpendSums {
	/** Start of the day of the ledger's calendar. */
	dayStartMs: number;
}

/**
 * Every day that overlaps the range, in order, with the amount spent on that day within the range.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function spendByDay(
	ctx: Pick<ServiceContext, "actor" | "db">,
	input: { fromMs: number; toMs: number; filters?: SpendFilters | undefined },
): Promise<SpendDay[]> {
	return toDays(await spendSeries(ctx, { ...input, bucket: "day" }));
}

export function toDays({ points }: SpendSeries): SpendDay[] {
	return points.map(({ fromMs, toMs: _, ...sums }) => ({ dayStartMs: fromMs, ...sums }));
}
