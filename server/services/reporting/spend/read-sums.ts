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
	/** From accounting/cover-range.ts. */
	segments: readonly Segment[];
	/** Hours to subtract from the segments; only for sums that are not split by bucket. */
	less?: readonly Segment[];
	/** null: one group for everything, with the key "". */
	groupBy: SpendDimension | null;
	/** Whether to return a row for each bucket of the segments instead of one for all. */
	byBucket: boolean;
	filters: SpendFilters;
	/** null: all, including rows without a team. */
	teams: readonly string[] | null;
	/** The sums to read; fewer are faster. */
	columns: readonly C[];
}

/** Sums of one group, capacity type and, with byBucket, bucket. */
export type SumsRow<C extends Column> = {
	key: string;
	capacityType: CapacityType;
	/** Owned capacity that no job used. */
	idle: boolean;
	granularity: Granularity | null;
	bucketStartMs: number;
} & Record<C, bigint>;

/**
 * Sums of the charges in a range. Days and months are read from slices when at most one dimension besides team and capacity is
 * used for grouping and filters, else from rollups; hours always from rollups. Never reads charges. One statement, so
 * concurrent charges are in all of its parts or in none.
 * Cost: a year of months is a few thousand rows from slices; from rollups, one row per combination.
 */
export async function readSums<C extends Column>(db: DbOrTx, query: SumsQuery<C>): Promise<SumsRow<C>[]> {
	if (query.teams?.length === 0) return [];
	const { segments, less = [] } = query;
	const columns: readonly Column[] = less.length === 0 ? query.columns : [...new Set<Column>([...query.columns, "charges"])];
	const slice = findSliceDimension(query);
	const coarse = segments.filter((s) => slice !== null && s.granularity !== "hour");
	const fine = segments.filter((s) => slice === null || s.granularity === "hour");
	const parts = [
		...(slice === null || coarse.length === 0 ? [] : [{ off: false, of: ofSlices(query, slice, coarse) }]),
		...(fine.length === 0 ? [] : [{ off: false, of: ofRollups(query, fine) }]),
		...(less.length === 0 ? [] : [{ off: true, of: ofRollups(query, less) }]),
	].map(({ off, of }) => grouped(of, { off, byBucket: query.byBucket, columns }));
	if (parts.length === 0) return [];
	// Values by position, because column names differ in case between the database and the code.
	const names = sql.raw(["o", "k", "c", "i", "g", "b", ...columns.map((_, n) => `s${n}`)].join(", "));
	// Materialized: in a single plan, the planner would start parallel workers for long sums, which takes ten times as long.
	const named = parts.map((part, n) => sql`${sql.raw(`part${n}`)}(${names}) as materialized (${part})`);
	const all = sql.raw(parts.map((_, n) => `select * from part${n}`).join(" union all "));
	const rows = await db.execute<{ row: [boolean, ...(string | boolean | null)[]] }>(sql`
		with ${sql.join(named, sql`, `)} select json_build_array(${names}) as row from (${all}) as sums`);
	const sums = rows.map(({ row: [off, key, capacityType, idle, granularity, bucketMs, ...values] }) => {
		const named = Object.fromEntries(columns.map((name, n) => [name, BigInt(String(values[n]))])) as Record<C, bigint>;
		const place = { key: String(key), capacityType: capacityType as CapacityType, idle: idle === true };
		const sum: SumsRow<C> = { ...place, granularity: granularity as Granularity | null, bucketStartMs: Number(bucketMs), ...named };
		return { off, sum };
	});
	return less.length === 0 ? sums.map(({ sum }) => sum) : settled(sums, columns);
}

/** Sums after subtraction, one row per group; a group without charges is omitted. */
function settled<C extends Column>(sums: readonly { off: boolean; sum: SumsRow<C> }[], columns: readonly Column[]): SumsRow<C>[] {
	const groups = new Map<string, SumsRow<Column>>();
	for (const { off, sum } of sums as readonly { off: boolean; sum: SumsRow<Column> }[]) {
		const key = JSON.stringify([sum.key, sum.capacityType, sum.idle]);
		const left = groups.get(key) ?? { ...sum, granularity: null, ...Object.fromEntries(columns.map((name) => [name, 0n])) };
		for (const name of columns) left[name] += off ? -sum[name] : sum[name];
		groups.set(key, left);
	}
	return [...groups.values()].filter((left) => left.charges !== 0n);
}

/** The slice that covers the query; null when the query needs more than one dimension. */
function findSliceDimension({ groupBy, filters }: Pick<SumsQuery<Column>, "groupBy" | "filters">): SliceDimension | null {
	const asked = new Set([...(groupBy === null ? [] : [groupBy]), ...restricted(filters)]);
	const [first, ...more] = [...asked].flatMap((d) => (d === "team" || d === "capacityType" ? [] : [d]));
	return more.length > 0 ? null : (first ?? "");
}

interface Parts {
	table: typeof rollup | typeof rollupSlice;
	key: SQL;
	idle: SQL;
	where: SQL | undefined;
}

function ofSlices({ groupBy, filters, teams }: SumsQuery<Column>, dimension: SliceDimension, segments: readonly Segment[]): Parts {
	const columnOfSlice = (name: SpendDimension): SQL =>
		name === "team" ? sql`${rollupSlice.team}` : name === "capacityType" ? sql`capacity_type` : sql`${rollupSlice.key}`;
	const kept = restricted(filters).map((name) => inArray(sql`${columnOfSlice(name)}::text`, [...(filters[name] ?? [])]));
	const where = and(
		eq(rollupSlice.dimension, dimension),
		within(rollupSlice, segments),
		...kept,
		teams === null ? undefined : inArray(rollupSlice.team, [...teams]),
	);
	return { table: rollupSlice, key: groupBy === null ? sql`''` : columnOfSlice(groupBy), idle: sql`idle`, where };
}

function ofRollups({ groupBy, filters, teams }: SumsQuery<Column>, segments: readonly Segment[]): Parts {
	const key = groupBy === null ? sql`''` : sql`${columnOf(rollup, groupBy)}`;
	const where = and(within(rollup, segments), passes(rollup, filters, teams));
	return { table: rollup, key, idle: sql`(capacity_type = 'owned' and class = '')`, where };
}

/** Casts each key to text after grouping, not in every row. */
function grouped(
	{ table, key, idle, where }: Parts,
	{ off, byBucket, columns }: { off: boolean; byBucket: boolean; columns: readonly Column[] },
): SQL {
	const names = sql.raw(columns.map((_, n) => `s${n}`).join(", "));
	const texts = sql.raw(columns.map((_, n) => `s${n}::text`).join(", "));
	const sums = sql.join(
		columns.map((name) => sql`sum(${table[name]})`),
		sql`, `,
	);
	const bucket = byBucket ? sql`granularity, bucket_start` : sql`null::granularity, null::timestamptz`;
	return sql`select ${off ? sql`true` : sql`false`}, k::text, c::text, i, g::text, (extract(epoch from b) * 1000)::bigint::text, ${texts}
		from (select ${key}, capacity_type, ${idle}, ${bucket}, ${sums} from ${table} where ${where} group by 1, 2, 3, 4, 5) as grouped(k, c, i, g, b, ${names})`;
}

function within(table: typeof rollup | typeof rollupSlice, segments: readonly Segment[]): SQL | undefined {
	if (segments.length === 0) return sql`false`;
	return or(
		...segments.map((s) =>
			and(eq(table.granularity, s.granularity), gte(table.bucketStart, new Date(s.fromMs)), lt(table.bucketStart, new Date(s.toMs))),
		),
	);
}
