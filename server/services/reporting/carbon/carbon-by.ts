import type { ServiceContext } from "#server/services/core/context.ts";
import { type GroupedSums, groupSums, type SpendQuery } from "../spend/group-sums.ts";
import { CARBON_COLUMNS, type CarbonSums, toCarbon } from "./sums.ts";

export type Carbon = GroupedSums<CarbonSums>;

/**
 * Emissions in a range, grouped by a spend dimension, highest first.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export function carbonBy(ctx: Pick<ServiceContext, "actor" | "db">, input: SpendQuery): Promise<Carbon> {
	return groupSums(ctx, input, { columns: CARBON_COLUMNS, add: toCarbon, size: (sums) => sums.totalMilligrams });
}
