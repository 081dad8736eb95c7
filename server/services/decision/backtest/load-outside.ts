import { eq, min, sql } from "drizzle-orm";
import { periodOf } from "#server/accounting/calendar.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import type { Db } from "#server/db/client.ts";
import { job } from "#server/db/schema/job.ts";
import { pool, site } from "#server/db/schema/site.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { BudgetPeriod } from "#server/domain/policy.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { poolSpeed, readSpeeds } from "#server/services/capacity/site/pool-speed.ts";
import { BUDGET_COST } from "#server/services/ledger/budget/cost-sql.ts";
import { homeGrid } from "#server/services/pricing/energy/home-grid.ts";
import { RUN_USER, withUser } from "#server/services/work/job/run-user.ts";
import { finishedJobs, type Ran, workOf } from "#server/services/work/job/run-work.ts";
import type { HistoryTiming, LaunchRecord, RecordedHistory } from "#server/simulation/backtest/history.ts";
import { monthOf } from "#server/simulation/replay/billing.ts";
import type { ReplayPool } from "#server/simulation/replay/types.ts";

/** How far back launches are evidence (snapshot/offer-records.ts), and run times are learned from (job/durations.ts). */
const LAUNCHES_BEFORE_MS = 30 * DAY_MS;
const RUNS_BEFORE_MS = 90 * DAY_MS;
const RUNS_MAX = 10_000;

interface Span {
	fromMs: number;
	toMs: number;
}

const at = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;
const msOf = (column: ReturnType<typeof sql>) => sql`(extract(epoch from ${column}) * 1000)::float8`;

/** As they are now; what is unavailable now is treated as always unavailable. */
export async function loadPools(db: Db): Promise<ReplayPool[]> {
	const rows = await db.select({ pool, site }).from(pool).innerJoin(site, eq(site.id, pool.siteId)).where(eq(site.enabled, true));
	return rows.map(({ pool: p, site: s }) => {
		const { gramsPerKwh, pue } = homeGrid(s.settings);
		return {
			id: p.id,
			siteId: p.siteId,
			accelerator: p.accelerator,
			nodes: p.nodes,
			gpusPerNode: p.gpusPerNode,
			microUsdPerGpuHour: p.microUsdPerGpuHour,
			wattsPerGpu: p.wattsPerGpu,
			gridGramsPerKwh: gramsPerKwh,
			pue,
			speed: poolSpeed(s.settings, p),
			unavailableSlots: p.unavailableSlots,
			provider: s.provider,
			multiNode: s.provider !== "local",
		};
	});
}

/** Every price change during the range, and the last one before it. */
export async function loadPrices(db: Db, { fromMs, toMs }: Span): Promise<RecordedHistory["prices"]> {
	const rows = await db.execute<{ id: string; at: number; price: string }>(sql`
		select offer_id as id, ${msOf(sql`observed_at`)} as at, micro_usd_per_hour::text as price from (
			(select distinct on (offer_id) offer_id, observed_at, micro_usd_per_hour from offer_price
				where observed_at <= ${at(fromMs)} order by offer_id, observed_at desc)
			union all
			(select offer_id, observed_at, micro_usd_per_hour from offer_price where observed_at > ${at(fromMs)} and observed_at < ${at(toMs)})
		) as p order by observed_at`);
	const prices: RecordedHistory["prices"] = new Map();
	for (const { id, at: atMs, price } of rows) {
		const changes = prices.get(id) ?? [];
		changes.push({ atMs, microUsdPerHour: BigInt(price) });
		prices.set(id, changes);
	}
	return prices;
}

export async function loadLaunches(db: Db, { fromMs, toMs }: Span): Promise<LaunchRecord[]> {
	const rows = await db.execute<{
		id: string;
		type: string;
		intended: number;
		launched: number | null;
		ended: number | null;
		code: string | null;
	}>(sql`
		select offer->>'id' as id, capacity_type as type, ${msOf(sql`intended_at`)} as intended, ${msOf(sql`launched_at`)} as launched,
			${msOf(sql`terminated_at`)} as ended, reason->>'code' as code
		from instance where intended_at >= ${at(fromMs - LAUNCHES_BEFORE_MS)} and intended_at < ${at(toMs)} order by intended_at, id`);
	return rows.map(({ id, type, intended, launched, ended, code }) => ({
		offerId: id,
		spot: type === "spot",
		intendedAtMs: intended,
		launchedAtMs: launched,
		endedAtMs: ended,
		end: launched === null && isRefusal(code) ? "refused" : code === "spot_interruption" ? "interrupted" : "other",
	}));
}

function isRefusal(code: string | null): boolean {
	return code === "launch_refused_capacity" || code === "launch_refused_quota";
}

/** Medians of the recorded values. */
export async function loadTiming(
	db: Db,
	{ fromMs, toMs }: Span,
	live: Pick<HistoryTiming, "cloudStartMs" | "cooldownMs">,
): Promise<HistoryTiming> {
	const [boot] = await db.execute<{ ms: number | null }>(sql`
		select percentile_cont(0.5) within group (order by extract(epoch from started_at - created_at)::float8 * 1000) as ms
		from attempt where capacity_type <> 'owned' and started_at is not null
			and created_at >= ${at(fromMs - LAUNCHES_BEFORE_MS)} and created_at < ${at(toMs)}`);
	const [refusal] = await db.execute<{ ms: number | null }>(sql`
		select percentile_cont(0.5) within group (order by extract(epoch from terminated_at - intended_at)::float8 * 1000) as ms
		from instance where launched_at is null and terminated_at is not null and reason->>'code' like 'launch_refused_%'
			and intended_at >= ${at(fromMs - LAUNCHES_BEFORE_MS)} and intended_at < ${at(toMs)}`);
	const whole = (ms: number | null | undefined): number | null => (ms === null || ms === undefined ? null : Math.round(ms));
	return { bootMs: whole(boot?.ms), refusalMs: whole(refusal?.ms), ...live };
}

/** Oldest first, as the live loop's statistics read them. */
export async function loadPriorRuns(db: Db, { fromMs }: Span): Promise<RecordedHistory["priorRuns"]> {
	const jobs = await db.execute<Ran & { spec: JobSpec; run_user: string | null }>(
		finishedJobs({
			columns: sql`job.spec, ${RUN_USER} as run_user`,
			...{ fromMs: fromMs - RUNS_BEFORE_MS, toMs: fromMs, limit: RUNS_MAX },
		}),
	);
	const speeds = await readSpeeds(db);
	return jobs
		.map(({ spec, run_user: user, ...ran }) => ({
			spec: withUser({ ...spec, command: [], env: {} }, user),
			durationMs: workOf(ran, speeds.of),
		}))
		.toReversed();
}

/** Cost of cloud work before the range, in the longest budget period that contains its start. */
export async function loadSpentBefore(
	db: Db,
	{ fromMs }: Span,
	periods: readonly BudgetPeriod[],
	calendar: Calendar,
): Promise<RecordedHistory["spentBefore"]> {
	if (periods.length === 0) return [];
	const sinceMs = Math.min(...periods.map((period) => periodOf(period, fromMs, calendar).fromMs));
	if (sinceMs >= fromMs) return [];
	const rows = await db.execute<{ spec: JobSpec; month: number; sum: string }>(sql`
		select job.spec as spec, c.month as month, c.sum::text as sum from (
			select job_id, ${msOf(sql`date_trunc('month', period_start, 'UTC')`)} as month, sum(${BUDGET_COST}) as sum from charge
			where period_start >= ${at(sinceMs)} and period_start < ${at(fromMs)} and capacity_type <> 'owned'
				and instance_id is not null and job_id is not null
			group by 1, 2
		) as c join job on job.id = c.job_id`);
	return rows.map(({ spec, month, sum }) => ({ spec: { ...spec, command: [], env: {} }, month: monthOf(month), microUsd: BigInt(sum) }));
}

export async function firstJobAtMs(db: Db): Promise<number | null> {
	const [row] = await db.select({ at: min(job.submittedAt) }).from(job);
	return row?.at?.getTime() ?? null;
}
