import { sql } from "drizzle-orm";
import type { BurstWait, WasteRow } from "#server/accounting/statement-facts.ts";
import type { DbOrTx } from "#server/db/client.ts";
import type { LedgerMonth } from "./month.ts";

const iso = (ms: number): string => new Date(ms).toISOString();

/**
 * Attempts that ended in the month without finishing their job's command, whole, with all that they were charged: what of
 * their work lives on in a checkpoint is not taken off. Cost: the month's attempts that ended so, from one index, and their jobs.
 */
export async function readWaste(db: DbOrTx, { fromMs, toMs }: LedgerMonth, team: string | null): Promise<WasteRow[]> {
	const rows = await db.execute<{ team: string; key: WasteRow["key"]; cost: string; gpu: string }>(sql`
		select j.team, case a.state when 'failed' then 'failed' when 'cancelled' then 'cancelled' else 'interrupted' end as key,
			sum(a.cost_micro_usd)::text as cost, sum(a.gpu_ms)::text as gpu
		from attempt a join job j on j.id = a.job_id
		where a.state in ('failed', 'interrupted', 'evicted', 'lost', 'cancelled') and (a.cost_micro_usd <> 0 or a.gpu_ms <> 0)
			and a.finished_at >= ${iso(fromMs)}::timestamptz and a.finished_at < ${iso(toMs)}::timestamptz
			${team === null ? sql`` : sql`and j.team = ${team}`}
		group by 1, 2 order by 1, 2`);
	return rows.map((r) => ({ team: r.team, key: r.key, microUsd: BigInt(r.cost), gpuMs: BigInt(r.gpu) }));
}

/**
 * Jobs whose first attempt was placed in a cloud in this month and began there, with what the decision forecast for home.
 * Only first attempts: one that goes on after an interruption would count the same wait twice.
 */
export async function readBurstWaits(db: DbOrTx, { fromMs, toMs }: LedgerMonth, team: string | null): Promise<BurstWait[]> {
	const rows = await db.execute<{ team: string; jobs: number; without: number; saved: string }>(sql`
		select j.team, count(*)::int as jobs, (count(*) filter (where d.home is null))::int as without,
			coalesce(sum(d.home - extract(epoch from a.started_at) * 1000), 0)::text as saved
		from attempt a join job j on j.id = a.job_id
		left join lateral (
			select (explanation->'homeStart'->>'p50Ms')::numeric as home from decision
			where job_id = a.job_id and attempt_number = a.number order by decided_at desc limit 1
		) d on true
		where a.number = 1 and a.capacity_type <> 'owned' and a.started_at is not null
			and a.created_at >= ${iso(fromMs)}::timestamptz and a.created_at < ${iso(toMs)}::timestamptz
			${team === null ? sql`` : sql`and j.team = ${team}`}
		group by j.team order by j.team`);
	return rows.map((r) => ({ team: r.team, jobs: r.jobs, withoutHome: r.without, savedMs: Math.round(Number(r.saved)) }));
}
