import { type SQL, sql } from "drizzle-orm";
import type { BurstWait, WasteRow } from "#server/accounting/statement-facts.ts";
import type { DbOrTx } from "#server/db/client.ts";
import type { LedgerMonth } from "./month.ts";

/** Matches the month's rows: of one team, of the company (""), or, with null, of every team but not the company. */
function ofMonth({ fromMs }: LedgerMonth, only: string | null): SQL {
	const team = only === null ? sql`team <> ''` : sql`team = ${only}`;
	return sql`granularity = 'month' and dimension = '' and bucket_start = ${new Date(fromMs).toISOString()}::timestamptz and ${team}`;
}

/**
 * Attempts that ended in the month without finishing their job's command, with all their charges. Work saved in a checkpoint
 * is not deducted. Cost: a few sums per team.
 */
export async function readWaste(db: DbOrTx, month: LedgerMonth, only: string | null): Promise<WasteRow[]> {
	const rows = await db.execute<{ team: string; key: WasteRow["key"]; cost: string; gpu: string }>(sql`
		select team, case state when 'failed' then 'failed' when 'cancelled' then 'cancelled' else 'interrupted' end as key,
			sum(cost_micro_usd)::text as cost, sum(gpu_ms)::text as gpu
		from attempt_sum where sum_of = 'lost' and ${ofMonth(month, only)} group by 1, 2 having sum(attempts) <> 0 order by 1, 2`);
	return rows.map((r) => ({ team: r.team, key: r.key, microUsd: BigInt(r.cost), gpuMs: BigInt(r.gpu) }));
}

/**
 * Jobs with a first attempt that was placed in a cloud this month and started there, with the decision's forecast for home.
 * Only first attempts, because a resumed attempt would count the same wait twice. Cost: a few sums per team.
 */
export async function readBurstWaits(db: DbOrTx, month: LedgerMonth, only: string | null): Promise<BurstWait[]> {
	const rows = await db.execute<{ team: string; jobs: number; without: number; saved: string }>(sql`
		select team, sum(attempts)::int as jobs, sum(without_home)::int as without, sum(saved_ms)::text as saved
		from attempt_sum where sum_of = 'burst' and ${ofMonth(month, only)} group by 1 having sum(attempts) <> 0 order by 1`);
	return rows.map(({ team, jobs, without, saved }) => ({ team, jobs, withoutHome: without, savedMs: Number(saved) }));
}
