import { and, inArray, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { z } from "zod";
import type { charge, rollup } from "#server/db/schema/charge.ts";
import { CHARGE_KINDS } from "#server/domain/charge.ts";
import { CAPACITY_TYPES, PROVIDERS, WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";

/** What sums and charges can be grouped and filtered by. */
export const SPEND_DIMENSIONS = [
	...["team", "project", "class", "provider", "region"],
	...["capacityType", "accelerator", "site", "kind"],
] as const satisfies readonly string[];

const VALUES_MAX = 100;
const names = z.array(z.string().max(200)).max(VALUES_MAX).optional();

/**
 * Keeps what has one of the values in each of the dimensions that are given; a dimension without values keeps all.
 * "" is what has none, such as the team of idle hardware.
 */
export const spendFilters = z.strictObject({
	team: names,
	project: names,
	class: z
		.array(z.enum(["", ...WORKLOAD_CLASSES]))
		.max(VALUES_MAX)
		.optional(),
	provider: z.array(z.enum(PROVIDERS)).max(VALUES_MAX).optional(),
	region: names,
	capacityType: z.array(z.enum(CAPACITY_TYPES)).max(VALUES_MAX).optional(),
	accelerator: names,
	site: names,
	kind: z.array(z.enum(CHARGE_KINDS)).max(VALUES_MAX).optional(),
});
export type SpendFilters = z.infer<typeof spendFilters>;
export type SpendDimension = keyof SpendFilters;

export const NO_FILTERS: SpendFilters = {};

/** The dimensions that the filters restrict. */
export function restricted(filters: SpendFilters): SpendDimension[] {
	return (Object.keys(filters) as SpendDimension[]).filter((name) => (filters[name]?.length ?? 0) > 0);
}

/** The same columns stand in charges and in rollups. */
export const columnOf = (table: typeof charge | typeof rollup, dimension: SpendDimension) =>
	dimension === "site" ? table.siteId : table[dimension];

/** The rows of charges or rollups that pass the filters, of these teams (null: of all, and what belongs to none). */
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
