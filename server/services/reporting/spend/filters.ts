import { and, inArray, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { z } from "zod";
import type { spendFilters } from "#server/contract/inputs/spend.ts";
import type { charge, rollup } from "#server/db/schema/charge.ts";

export type SpendFilters = z.infer<typeof spendFilters>;
export type SpendDimension = keyof SpendFilters;

export const NO_FILTERS: SpendFilters = {};

/** The dimensions that the filters restrict. */
export function restricted(filters: SpendFilters): SpendDimension[] {
	return (Object.keys(filters) as SpendDimension[]).filter((name) => (filters[name]?.length ?? 0) > 0);
}

/** Charges and rollups have these columns in common. */
export const columnOf = (table: typeof charge | typeof rollup, dimension: SpendDimension) =>
	dimension === "site" ? table.siteId : table[dimension];

/** Matches charges or rollups of these teams (null: all, including rows without a team) that pass the filters. */
export function passes(
	table: (typeof charge | typeof rollup) & PgTable,
	filters: SpendFilters,
	teams: readonly string[] | null,
): SQL | undefined {
	if (teams?.length === 0) return sql`false`;
	return and(
		...restricted(filters).map((dimension) => inArray(sql`${columnOf(table, dimension)}::text`, [...(filters[dimension] ?? [])])),
		teams === null ? undefined : inArray(table.team, [...teams]),
	);
}
