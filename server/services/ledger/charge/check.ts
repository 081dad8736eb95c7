import { sql } from "drizzle-orm";
import { bucketsOf, GRANULARITIES, type Granularity, type Interval } from "#server/accounting/calendar.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import type { Db, Tx } from "#server/db/client.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import {
	differencesOfAttempts,
	differencesOfJobs,
	differencesOfSlices,
	differencesOfSpans,
	differencesOfSums,
	differencesOfWork,
	type SumsOf,
} from "./check-sql.ts";

/** A stored sum that differs from the sum of its charges. */
export interface LedgerDifference {
	/**
	 * Type of the sum: a rollup's granularity, a slice of rollups, a job's month, the job's or attempt's own total, a job's span, sums of
	 * attempts.
	 */
	granularity: SumsOf | "slice" | "job" | "attempt" | "span" | "work";
	bucketStartMs: number;
	/** The dimensions as readable text. */
	dimensions: string;
	column: string;
	rollup: bigint;
	charges: bigint;
}

export interface LedgerCheck {
	checkedAtMs: number;
	/** True when every sum of every rollup row, slice, job, job's month, span, attempt and kind of attempt is the sum of its charges. */
	ok: boolean;
	/** Total effective cost by granularity; `charges` is the sum of the entries themselves, `jobMonth` covers those of jobs. */
	totals: { charges: bigint; jobCharges: bigint; jobMonth: bigint } & Record<Granularity, bigint>;
	/** Number of entries added up. */
	charges: number;
	/** At most LISTED_DIFFERENCES. */
	differences: LedgerDifference[];
}

export const LISTED_DIFFERENCES = 100;

/**
 * Adds up all charges again and compares every row of the rollups and of the jobs' sums with them, in one snapshot, month by month. Reads
 * the whole ledger five times, so it is meant for the nightly check and for tests.
 */
export async function ledgerCheck(ctx: { db: Db; clock: { nowMs(): number } }): Promise<LedgerCheck> {
	return ctx.db.transaction(
		async (tx) => {
			const calendar = await ledgerCalendar(tx);
			const differences: LedgerDifference[] = [];
			for (const month of await monthsOf(tx, calendar)) {
				for (const kind of [...GRANULARITIES, "job_month"] as const) {
					const rows = await tx.execute<Record<string, unknown>>(differencesOfSums(kind, month, calendar, LISTED_DIFFERENCES));
					differences.push(...rows.map((r) => toDifference(kind, r)));
				}
				// Compare slices with rollups, not with charges: one wrong rollup would otherwise be reported nine more times.
				if (differences.length === 0) {
					const slices = await tx.execute<Record<string, unknown>>(differencesOfSlices(month, LISTED_DIFFERENCES));
					differences.push(...slices.map((r) => toDifference("slice", r)));
				}
				if (differences.length >= LISTED_DIFFERENCES) break;
			}
			const jobs = await tx.execute<Record<string, unknown>>(differencesOfJobs(LISTED_DIFFERENCES));
			differences.push(...jobs.map((r) => toDifference("job", r)));
			const attempts = await tx.execute<Record<string, unknown>>(differencesOfAttempts(LISTED_DIFFERENCES));
			differences.push(...attempts.map((r) => toDifference("attempt", r)));
			const spans = await tx.execute<Record<string, unknown>>(differencesOfSpans(LISTED_DIFFERENCES));
			differences.push(...spans.map((r) => toDifference("span", r)));
			const work = await tx.execute<Record<string, unknown>>(differencesOfWork(LISTED_DIFFERENCES));
			differences.push(...work.map((r) => toDifference("work", r)));
			return {
				checkedAtMs: ctx.clock.nowMs(),
				ok: differences.length === 0,
				...(await totalsOf(tx)),
				differences: differences.slice(0, LISTED_DIFFERENCES),
			};
		},
		{ isolationLevel: "repeatable read", accessMode: "read only" },
	);
}

/** The calendar's months from the first to the last month with any data. */
async function monthsOf(tx: Tx, calendar: Calendar): Promise<Interval[]> {
	const [row] = await tx.execute<{ first: string | null; last: string | null }>(sql`
		select extract(epoch from least((select min(period_start) from charge), (select min(bucket_start) from rollup), (select min(month_start) from job_month))) * 1000 as first,
			extract(epoch from greatest((select max(period_start) from charge), (select max(bucket_start) from rollup), (select max(month_start) from job_month))) * 1000 as last`);
	if (!row || row.first === null || row.last === null) return [];
	return bucketsOf("month", { fromMs: Number(row.first), toMs: Number(row.last) + 1 }, calendar);
}

async function totalsOf(tx: Tx): Promise<Pick<LedgerCheck, "totals" | "charges">> {
	const [sums] = await tx.execute<Record<string, unknown>>(sql`
		select e.*, r.*, (select coalesce(sum(effective_micro_usd), 0) from job_month)::text as job_month
		from (select count(*)::text as count, coalesce(sum(effective_micro_usd), 0)::text as charges,
				coalesce(sum(effective_micro_usd) filter (where job_id is not null), 0)::text as job_charges from charge) as e,
			(select coalesce(sum(effective_micro_usd) filter (where granularity = 'hour'), 0)::text as hour,
				coalesce(sum(effective_micro_usd) filter (where granularity = 'day'), 0)::text as day,
				coalesce(sum(effective_micro_usd) filter (where granularity = 'month'), 0)::text as month from rollup) as r`);
	const total = (name: string): bigint => BigInt(String(sums?.[name] ?? 0));
	return {
		totals: {
			charges: total("charges"),
			jobCharges: total("job_charges"),
			jobMonth: total("job_month"),
			hour: total("hour"),
			day: total("day"),
			month: total("month"),
		},
		charges: Number(total("count")),
	};
}

function toDifference(granularity: LedgerDifference["granularity"], row: Record<string, unknown>): LedgerDifference {
	return {
		granularity,
		bucketStartMs: Number(row["bucket_ms"]),
		dimensions: String(row["dimensions"]),
		column: String(row["column_name"]),
		rollup: BigInt(String(row["kept"])),
		charges: BigInt(String(row["recomputed"])),
	};
}
