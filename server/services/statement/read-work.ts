import { sql } from "drizzle-orm";
import type { BurstWait, WasteRow } from "#server/accounting/statement-facts.ts";
import type { DbOrTx } from "#server/db/client.ts";
import type { LedgerMonth } from "./month.ts";

const iso = (ms: number): string => new Date(ms).toISOString();

/**
 * Attempts that ended in the month without finishing their job's command, whole, with all that they were charged: what of
 * their work lives on in a checkpoint is not taken off. Cost: the month's attempts that ended so, from one index.
 */
export async function readWaste(db: DbOrTx, { fromMs, toMs }: LedgerMonth, team: string | null): Promise<WasteRow[]> {
	const rows = await db.execute<{ team: string; key: WasteRow["key"]; cost: string; gpu: string }>(sql`
		select team, case state when 'failed' then 'failed' when 'cancelled' then 'cancelled' else 'interrupted' end as key,
			sum(cost_micro_usd)::text as cost, sum(gpu_ms)::text as gpu
		from attempt
		where state in ('failed', 'interrupted', 'evicted', 'lost', 'cancelled') and (cost_micro_usd <> 0 or gpu_ms <> 0)
			and finished_at >= ${iso(fromMs)}::timestamptz and finished_at < ${iso(toMs)}::timestamptz
			${team === null ? sql`` : sql`and team = ${team}`}
		group by 1, 2 order by 1, 2`);
	return rows.map((r) => ({ team: r.team, key: r.key, microUsd: BigInt(r.cost), gpuMs: BigInt(r.gpu) }));
}

/**
 * Jobs whose first attempt was placed in a cloud in this month and began there, with what the decision forecast for home.
 * Only first attempts: one that goes on after an interruption would count the same wait twice. Cost: the month's first attempts
 * in clouds, from one index.
 */
export async function readBurstWaits(db: DbOrTx, { fromMs, toMs }: LedgerMonth, team: string | null): Promise<BurstWait[]> {
	const rows = await db.execute<{ team: string; jobs: number; without: number; saved: string }>(sql`
		select team, count(*)::int as jobs, (count(*) filter (where home_start_ms is null))::int as without,
			coalesce(sum(home_start_ms - extract(epoch from started_at) * 1000), 0)::text as saved
		from attempt
		where number = 1 and capacity_type <> 'owned' and started_at is not null
			and created_at >= ${iso(fromMs)}::timestamptz and created_at < ${iso(toMs)}::timestamptz
			${team === null ? sql`` : sql`and team = ${team}`}
		group by team order by team`);
	return rows.map((r) => ({ team: r.team, jobs: r.jobs, withoutHome: r.without, savedMs: Math.round(Number(r.saved)) }));
}
