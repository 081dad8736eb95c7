import { sql } from "drizzle-orm";
import { GRANULARITIES, type Granularity } from "#server/accounting/calendar.ts";
import type { Db } from "#server/db/client.ts";

/** A rollup row that is not the sum of its charges. */
export interface LedgerDifference {
	granularity: Granularity;
	bucketStartMs: number;
	/** The dimensions as one text, for people. */
	dimensions: string;
	column: string;
	rollup: bigint;
	charges: bigint;
}

export interface LedgerCheck {
	checkedAtMs: number;
	/** True when every sum of every rollup row is the sum of its charges. */
	ok: boolean;
	/** Sums over everything, by granularity; `charges` are the entries themselves. */
	totals: { charges: bigint } & Record<Granularity, bigint>;
	/** At most LISTED_DIFFERENCES. */
	differences: LedgerDifference[];
}

export const LISTED_DIFFERENCES = 100;

const DIMENSIONS = ["team", "project", "class", "site_id", "provider", "region", "capacity_type", "accelerator", "kind"];
const SUMS = [
	...["gpu_ms", "list_micro_usd", "contracted_micro_usd", "effective_micro_usd", "billed_micro_usd"],
	...["energy_milli_wh", "emissions_milligrams", "charges"],
];

/**
 * Adds up all charges anew and holds every row of the rollups against them, at one moment. Reads the whole ledger: for
 * the night and for tests.
 */
export async function ledgerCheck(ctx: { db: Db; clock: { nowMs(): number } }): Promise<LedgerCheck> {
	return ctx.db.transaction(
		async (tx) => {
			const differences: LedgerDifference[] = [];
			for (const granularity of GRANULARITIES) {
				const rows = await tx.execute<Record<string, unknown>>(differencesOf(granularity));
				differences.push(...rows.slice(0, LISTED_DIFFERENCES).map((r) => toDifference(granularity, r)));
			}
			const [sums] = await tx.execute<Record<string, unknown>>(sql`
				select (select coalesce(sum(effective_micro_usd), 0) from charge)::text as charges,
					coalesce(sum(effective_micro_usd) filter (where granularity = 'hour'), 0)::text as hour,
					coalesce(sum(effective_micro_usd) filter (where granularity = 'day'), 0)::text as day,
					coalesce(sum(effective_micro_usd) filter (where granularity = 'month'), 0)::text as month
				from rollup`);
			const total = (name: string): bigint => BigInt(String(sums?.[name] ?? 0));
			return {
				checkedAtMs: ctx.clock.nowMs(),
				ok: differences.length === 0,
				totals: { charges: total("charges"), hour: total("hour"), day: total("day"), month: total("month") },
				differences: differences.slice(0, LISTED_DIFFERENCES),
			};
		},
		{ isolationLevel: "repeatable read", accessMode: "read only" },
	);
}

function differencesOf(granularity: Granularity) {
	const dims = DIMENSIONS.join(", ");
	// class and the enums of the two tables are the same types, so the join compares like with like.
	return sql.raw(`
		with anew as (
			select date_trunc('${granularity}', period_start, 'UTC') as bucket_start, ${dims},
				${SUMS.map((c) => (c === "charges" ? "count(*) as charges" : `coalesce(sum(${c}), 0) as ${c}`)).join(", ")}
			from charge group by 1, ${dims}
		), kept as (select * from rollup where granularity = '${granularity}'),
		pairs as (
			select bucket_start, concat_ws(' · ', ${dims}) as dimensions,
				${SUMS.map((c) => `coalesce(kept.${c}, 0)::numeric as kept_${c}, coalesce(anew.${c}, 0)::numeric as anew_${c}`).join(", ")}
			from anew full join kept using (bucket_start, ${dims})
		)
		select (extract(epoch from bucket_start) * 1000)::bigint::text as bucket_ms, dimensions, s.col as column_name, s.kept::text as kept, s.anew::text as anew
		from pairs, lateral (values ${SUMS.map((c) => `('${c}', kept_${c}, anew_${c})`).join(", ")}) as s(col, kept, anew)
		where s.kept <> s.anew order by bucket_start, dimensions, s.col limit ${LISTED_DIFFERENCES}`);
}

function toDifference(granularity: Granularity, row: Record<string, unknown>): LedgerDifference {
	return {
		granularity,
		bucketStartMs: Number(row["bucket_ms"]),
		dimensions: String(row["dimensions"]),
		column: String(row["column_name"]),
		rollup: BigInt(String(row["kept"])),
		charges: BigInt(String(row["anew"])),
	};
}
