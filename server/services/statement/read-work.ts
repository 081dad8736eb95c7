import { type SQL, sql } from "drizzle-orm";
import type { BurstWait, WasteRow } from "#server/accounting/statement-facts.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { SECOND_MS } from "#server/kernel/units.ts";
import type { LedgerMonth } from "./month.ts";

const iso = (ms: number): string => new Date(ms).toISOString();

/** `only`: a team, or "" for the company, whose sums of all need no team told apart; null for every team's. */
function ofTeams(only: string | null): { team: SQL; within: SQL; grouped: SQL } {
	return {
		team: only === null ? sql`team` : sql`${only}::text as team`,
		within: only === null || only === "" ? sql`` : sql`and team = ${only}`,
		grouped: only === null ? sql`attempt.team` : sql`()`,
	};
}

/**
 * Attempts that ended in the month without finishing their job's command, whole, with all that they were charged: what of
 * their work lives on in a checkpoint is not taken off. Cost: the month's attempts that ended so, from one index.
 */
export async function readWaste(db: DbOrTx, { fromMs, toMs }: LedgerMonth, only: string | null): Promise<WasteRow[]> {
	const { team, within, grouped } = ofTeams(only);
	const rows = await db.execute<{ team: string; key: WasteRow["key"]; cost: string; gpu: string }>(sql`
		select ${team}, case state when 'failed' then 'failed' when 'cancelled' then 'cancelled' else 'interrupted' end as key,
			sum(cost_micro_usd)::text as cost, sum(gpu_ms)::text as gpu
		from attempt
		where state in ('failed', 'interrupted', 'evicted', 'lost', 'cancelled') and (cost_micro_usd <> 0 or gpu_ms <> 0)
			and finished_at >= ${iso(fromMs)}::timestamptz and finished_at < ${iso(toMs)}::timestamptz
			${within}
		group by ${grouped}, 2 order by 1, 2`);
	return rows.map((r) => ({ team: r.team, key: r.key, microUsd: BigInt(r.cost), gpuMs: BigInt(r.gpu) }));
}

/**
 * Jobs whose first attempt was placed in a cloud in this month and began there, with what the decision forecast for home.
 * Only first attempts: one that goes on after an interruption would count the same wait twice. Cost: the month's first attempts
 * in clouds, from one index.
 */
export async function readBurstWaits(db: DbOrTx, { fromMs, toMs }: LedgerMonth, only: string | null): Promise<BurstWait[]> {
	const { team, within, grouped } = ofTeams(only);
	// Times since the month began: whole numbers and floats of that size add up exactly, and ten times as fast as numerics.
	const rows = await db.execute<{ team: string; jobs: number; without: number; home: string; began: string }>(sql`
		select ${team}, count(*)::int as jobs, (count(*) filter (where home_start_ms is null))::int as without,
			coalesce(sum(home_start_ms - ${fromMs}::bigint), 0)::text as home,
			coalesce(sum(date_part('epoch', started_at - ${iso(fromMs)}::timestamptz)) filter (where home_start_ms is not null), 0)::text as began
		from attempt
		where number = 1 and capacity_type <> 'owned' and started_at is not null
			and created_at >= ${iso(fromMs)}::timestamptz and created_at < ${iso(toMs)}::timestamptz
			${within}
		group by ${grouped} order by 1`);
	return rows.map(({ team: name, jobs, without, home, began }) => {
		return { team: name, jobs, withoutHome: without, savedMs: Math.round(Number(home) - Number(began) * SECOND_MS) };
	});
}
