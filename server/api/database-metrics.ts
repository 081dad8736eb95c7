import { sql } from "drizzle-orm";
import { systemContext } from "#server/services/core/context.ts";
import { listBudgets } from "#server/services/ledger/budget/list.ts";
import type { Runtime } from "#server/services/runtime.ts";
import { oldestTailMs } from "#server/services/work/log/tails.ts";
import type { Gauge } from "./gauge.ts";

/** Budgets need more than one query, so a scrape may get values up to this old. */
const BUDGETS_KEPT_MS = 30_000;
const kept = new WeakMap<object, { atMs: number; budgets: ReturnType<typeof listBudgets> }>();

/** Budgets of the published policy in their current period; none before the first policy is published. */
export async function budgetMetrics(rt: Runtime, gauge: Gauge): Promise<void> {
	const nowMs = rt.clock.nowMs();
	let found = kept.get(rt.connection);
	if (!found || nowMs - found.atMs > BUDGETS_KEPT_MS) {
		found = { atMs: nowMs, budgets: listBudgets(systemContext(rt.connection.db, rt.clock)).catch(() => []) };
		kept.set(rt.connection, found);
	}
	const budgets = await found.budgets;
	const usd = (of: "capMicroUsd" | "postedMicroUsd" | "heldMicroUsd") =>
		budgets.map((b) => ({ labels: { budget: b.id, period: b.period }, value: Number(b[of]) / 1e6 }));
	const labels = ["budget", "period"];
	gauge("spillway_budget_cap_usd", "Cap of each budget in its current period.", usd("capMicroUsd"), { labels });
	gauge("spillway_budget_posted_usd", "Charged to each budget in its current period.", usd("postedMicroUsd"), { labels });
	gauge("spillway_budget_held_usd", "Held for instances that are alive, by budget.", usd("heldMicroUsd"), { labels });
}

/** Sites, the queue, and each team's cost in the current month of the ledger. */
export async function teamAndSiteMetrics(rt: Runtime, gauge: Gauge): Promise<void> {
	const { db } = rt.connection;
	const [sites, queue, teams] = await Promise.all([
		db.execute<{ id: string; provider: string; healthy: boolean }>(sql`select id, provider, healthy from site where enabled`),
		db.execute<{ class: string; count: number }>(sql`select class, count(*)::int as count from job where state = 'queued' group by class`),
		db.execute<{ team: string; usd: number; kg: number }>(sql`
			select team, (sum(effective_micro_usd) / 1e6)::float8 as usd, (sum(emissions_milligrams) / 1e6)::float8 as kg from rollup
			where granularity = 'month' and bucket_start = (select max(bucket_start) from rollup where granularity = 'month')
			group by team`),
	]);
	gauge(
		"spillway_site_healthy",
		"1 when the site responds, by enabled site.",
		sites.map((s) => ({ labels: { site: s.id, provider: s.provider }, value: s.healthy ? 1 : 0 })),
		{ labels: ["site", "provider"] },
	);
	gauge(
		"spillway_queued_jobs",
		"Jobs in the queue, by class.",
		queue.map((q) => ({ labels: { class: q.class }, value: q.count })),
		{ labels: ["class"] },
	);
	const byTeam = (of: "usd" | "kg") => teams.map((t) => ({ labels: { team: t.team }, value: t[of] }));
	gauge("spillway_team_cost_usd", "Cost of each team in the newest month of the ledger.", byTeam("usd"), { labels: ["team"] });
	gauge("spillway_team_emissions_kilograms", "Emissions (CO2e) of each team in that month.", byTeam("kg"), { labels: ["team"] });
}

const GPU_LABELS = ["owner", "site", "state"] as const;

/**
 * GPUs by state. Owned ones as the cluster reports its nodes, or by allocation where it reports none; `drained` and `down` have no job.
 * Cloud ones by the state of their machine; `warm` ones are kept without a job. A stopped
 * machine occupies none.
 */
export async function gpuMetrics({ connection }: Runtime, gauge: Gauge): Promise<void> {
	const rows = await connection.db.execute<{ owner: string; site: string; state: string; gpus: number }>(sql`
		with node as (
			select site_id, state, gpus, least(gpus, gpus_used) as used from cluster_node where pool_id is not null
		), pooled as (
			select p.site_id, sum((p.nodes - p.nodes_to_come) * p.gpus_per_node) as gpus,
				coalesce((select sum(cardinality(a.slots)) from allocation a where a.site_id = p.site_id and a.ended_at is null), 0) as used
			from pool p where not exists (select 1 from node where node.site_id = p.site_id) group by p.site_id
		), owned as (
			select site_id, 'used' as state, used as gpus from node union all
			select site_id, case state when 'ready' then 'idle' when 'closed' then 'drained' else 'down' end, gpus - used from node union all
			select site_id, 'used', used from pooled union all
			select site_id, 'idle', greatest(0, gpus - used) from pooled
		), shown as (
			select s.site_id, v.state from (select distinct site_id from owned) s, (values ('used'), ('idle'), ('drained'), ('down')) v(state)
		)
		select 'owned' as owner, site_id as site, state, coalesce(sum(gpus), 0)::int as gpus from shown left join owned using (site_id, state) group by 2, 3
		union all
		select 'cloud', site_id, case when state in ('intended', 'requested', 'provisioning') then 'starting'
			when state in ('draining', 'terminating') then 'ending' when attempt_id is null then 'warm' else 'used' end, sum(gpus)::int
		from instance where state <> 'terminated' and (stopped_from is null or start_called_at is not null) group by 2, 3`);
	gauge(
		"spillway_gpus",
		"GPUs by owner (owned, cloud), site and state: used, idle, drained or down; starting, used, warm or ending.",
		rows.map(({ owner, site, state, gpus }) => ({ labels: { owner, site, state }, value: gpus })),
		{ labels: [...GPU_LABELS] },
	);
}

/** How long the oldest log line has been waiting to move to the log store; 0 when there is none. */
export async function logMetrics({ connection, clock }: Runtime, gauge: Gauge): Promise<void> {
	const oldestMs = await oldestTailMs(connection.db);
	gauge("spillway_log_tail_age_seconds", "Age of the oldest log line in the database.", [
		{ value: oldestMs === null ? 0 : Math.max(0, clock.nowMs() - oldestMs) / 1000 },
	]);
}
