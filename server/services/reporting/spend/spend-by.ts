import type { ServiceContext } from "#server/services/core/context.ts";
import { type GroupedSums, groupSums, type SpendQuery } from "./group-sums.ts";
import { SPEND_COLUMNS, type SpendSums, toSpend } from "./sums.ts";

export type Spend = GroupedSums<SpendSums>;

/**
 * Spend in a range, highest first. "" by team is idle capacity.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export function spendBy(ctx: Pick<ServiceContext, "actor" | "db">, input: SpendQuery): Promise<Spend> {
	return groupSums(ctx, input, { columns: SPEND_COLUMNS, add: toSpend, size: (sums) => sums.totalMicroUsd });
}
