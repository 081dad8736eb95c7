import { and, eq, gte, inArray, lt, or, type SQL, sql } from "drizzle-orm";
import type { Granularity } from "#server/accounting/calendar.ts";
import type { Segment } from "#server/accounting/cover-range.ts";
import type { RollupSums } from "#server/accounting/rollup.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { rollup, rollupSlice } from "#server/db/schema/charge.ts";
import type { SliceDimension } from "#server/domain/charge.ts";
import type { CapacityType } from "#server/domain/vocabulary.ts";
import { columnOf, passes, restricted, type SpendDimension, type SpendFilters } from "./filters.ts";

type Column = keyof RollupSums;

export interface SumsQuery<C extends Column> {
	/** Of accounting/cover-range.ts. */
	segments: readonly Segment[];
	/** null: everything is one group, with the key "". */
	groupBy: SpendDimension | null;
	/** A row for each bucket of the segments; otherwise one over all of them. */
	byBucket: boolean;
	filters: SpendFilters;
	/** null: all, with what belongs to no team. */
	teams: readonly string[] | null;
	/** The sums that are wanted: fewer are read faster. */
	columns: readonly C[];
}

/** Sums of one group, capacity type and, when asked, bucket. */
export type SumsRow<C extends Column> = {
	key: string;
	capacityType: CapacityType;
	/** Owned capacity that no job used. */
	idle: boolean;
	granularity: Granularity | null;
	bucketStartMs: number;
} & Record<C, bigint>;

/**
 * Sums of the charges in a range. Days and months are read from slices when at most one dimension beside team and
 * capacity is grouped and filtered by, else from rollups; hours always from rollups. Never reads charges.
 * Cost: a year of months from slices is some thousand rows; from rollups, as many as there are combinations.
 */
export async function readSums<C extends Column>(db: DbOrTx, query: SumsQuery<C>): Promise<SumsRow<C>[]> {
	if (query.teams?.length === 0) return [];
	const slice = sliceOf(query);
	const coarse = query.segments.filter((s) => slice !== null && s.granularity !== "hour");
	const fine = query.segments.filter((s) => slice === null || s.granularity === "hour");
	const [fromSlices, fromRollups] = await Promise.all([
		slice === null || coarse.length === 0 ? [] : readSlices(db, { ...query, segments: coarse }, slice),
		fine.length === 0 ? [] : readRollups(db, { ...query, segments: fine }),
	]);
	return [...fromSlices, ...fromRollups];
}

/** The slice that answers the query; null when it takes more than one dimension. */
function sliceOf({ groupBy, filters }: Pick<SumsQuery<Column>, "groupBy" | "filters">): SliceDimension | null {
	const asked = new Set([...(groupBy === null ? [] : [groupBy]), ...restricted(filters)]);
	const [first, ...more] = [...asked].flatMap((d) => (d === "team" || d === "capacityType" ? [] : [d]));
	return more.length > 0 ? null : (first ?? "");
}

async function readSlices<C extends Column>(db: DbOrTx, query: SumsQuery<C>, dimension: SliceDimension): Promise<SumsRow<C>[]> {
	const { groupBy, filters, teams } = query;
	const columnOfSlice = (name: SpendDimension): SQL =>
		name === "team" ? sql`${rollupSlice.team}` : name === "capacityType" ? sql`capacity_type::text` : sql`${rollupSlice.key}`;
	const key = groupBy === null ? sql`''` : columnOfSlice(groupBy);
	const kept = restricted(filters).map((name) => inArray(columnOfSlice(name), [...(filters[name] ?? [])]));
	const where = and(
		eq(rollupSlice.dimension, dimension),
		within(rollupSlice, query.segments),
		...kept,
		teams === null ? undefined : inArray(rollupSlice.team, [...teams]),
	);
	return readTable(db, query, rollupSlice, { key, idle: sql`idle`, where });
}

async function readRollups<C extends Column>(db: DbOrTx, query: SumsQuery<C>): Promise<SumsRow<C>[]> {
	const key = query.groupBy === null ? sql`''` : sql`${columnOf(rollup, query.groupBy)}`;
	const where = and(within(rollup, query.segments), passes(rollup, query.filters, query.teams));
	return readTable(db, query, rollup, { key, idle: sql`(capacity_type = 'owned' and class = '')`, where });
}

async function readTable<C extends Column>(
	db: DbOrTx,
	{ byBucket, columns }: SumsQuery<C>,
	table: typeof rollup | typeof rollupSlice,
	parts: { key: SQL; idle: SQL; where: SQL | undefined },
): Promise<SumsRow<C>[]> {
	const bucket = byBucket ? sql`granularity::text, (extract(epoch from bucket_start) * 1000)::bigint::text` : sql`null::text, '0'`;
	const sums = sql.join(
		columns.map((name) => sql`sum(${table[name]})::text`),
		sql`, `,
	);
	const order = byBucket ? sql`1, 2, 3, granularity, bucket_start` : sql`1, 2, 3`;
	// Values by position: names of tables' columns differ in case between the database and here.
	const rows = await db.execute<{ row: (string | boolean | null)[] }>(sql`
		select json_build_array(k, c, i, g, b, ${sql.raw(columns.map((_, n) => `s${n}`).join(", "))}) as row from (
			select ${parts.key}::text, capacity_type::text, ${parts.idle}, ${bucket}, ${sums} from ${table} where ${parts.where} group by ${order}
		) as sums(k, c, i, g, b, ${sql.raw(columns.map((_, n) => `s${n}`).join(", "))})`);
	return rows.map(({ row: [key, capacityType, idle, granularity, bucketMs, ...values] }) => {
		const named = Object.fromEntries(columns.map((name, n) => [name, BigInt(String(values[n]))])) as Record<C, bigint>;
		const place = { key: String(key), capacityType: capacityType as CapacityType, idle: idle === true };
		return { ...place, granularity: granularity as Granularity | null, bucketStartMs: Number(bucketMs), ...named };
	});
}

function within(table: typeof rollup | typeof rollupSlice, segments: readonly Segment[]): SQL | undefined {
	if (segments.length === 0) return sql`false`;
	return or(
		...segments.map((s) =>
			and(eq(table.granularity, s.granularity), gte(table.bucketStart, new Date(s.fromMs)), lt(table.bucketStart, new Date(s.toMs))),
		),
	);
}
