import { eq, ne, sql } from "drizzle-orm";
import { bucketStartMs } from "#server/accounting/calendar.ts";
import type { Db } from "#server/db/client.ts";
import { instance } from "#server/db/schema/instance.ts";
import { setting } from "#server/db/schema/setting.ts";
import { MARGINAL_PRICE } from "#server/services/capacity/instance/marginal-price.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { type Heartbeat, readHeartbeat } from "#server/services/core/heartbeat.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { type BudgetStatus, listBudgets } from "#server/services/ledger/budget/list.ts";
import { readLedgerCheck, type StoredCheck } from "#server/services/ledger/charge/nightly-check.ts";
import { countOpenAlerts, type OpenAlerts } from "#server/services/notification/alert/list.ts";
import { type MonthForecast, monthForecast } from "#server/services/reporting/spend/month-forecast.ts";
import { getOwnMonth, type OwnMonth } from "#server/services/reporting/spend/own-month.ts";
import { type Spend, spendBy } from "#server/services/reporting/spend/spend-by.ts";
import { countJobs } from "#server/services/work/job/list.ts";
import { burnOfDay } from "./burn.ts";
import { moneyAtRisk, type RiskItem } from "./money-at-risk.ts";

export interface OverviewSummary {
	nowMs: number;
	jobs: Awaited<ReturnType<typeof countJobs>>;
	/** All waiting jobs (queued or held), how many are held, the GPUs they need, and when the last of them would start at home. */
	queue: { jobs: number; held: number; gpus: number; lastStart: { p50Ms: number; p90Ms: number } | null };
	owned: { gpus: number; busy: number };
	/** Live instances and the sum of their hourly prices. */
	cloud: { instances: number; gpus: number; burnMicroUsdPerHour: string };
	/** The clouds' hourly price over the last 24 hours. */
	burn: { atMs: number; microUsdPerHour: string }[];
	budgets: BudgetStatus[];
	/** Open alerts that the reader may see. */
	alerts: OpenAlerts;
	/** This month of the ledger's calendar so far, by provider; null for callers without the right to see money. */
	month: Spend | null;
	/** The caller's own jobs this month; null for callers who see the spend of all teams. */
	ownMonth: OwnMonth | null;
	forecast: MonthForecast | null;
	risk: { totalMicroUsd: string; items: RiskItem[] };
	scheduler: Heartbeat | null;
	/** The last time that all sums were checked against the charges; null before the first check. */
	ledgerCheck: Pick<StoredCheck, "checkedAtMs" | "ok" | "charges" | "differenceCount"> | null;
	/** Set in a demo: some of the data shown was simulated. */
	demoHistory: { fromMs: number; toMs: number } | null;
}

/** The figures of the Overview. Cost: about a dozen small aggregate queries, run concurrently. */
export async function overviewSummary(ctx: ServiceContext): Promise<OverviewSummary> {
	const { db } = ctx;
	const nowMs = ctx.clock.nowMs();
	teamScope(ctx, "capacity:read");
	const calendar = await ledgerCalendar(db);
	const monthStartMs = bucketStartMs("month", nowMs, calendar);
	const seesAll = teamScope(ctx, "spend:read") === null;
	const [jobs, queue, owned, cloud, burn, budgets, alerts, month, own, forecast, risk, scheduler, ledgerCheck, demo] = await Promise.all([
		countJobs(ctx),
		readQueue(db),
		readOwned(db),
		readCloud(db),
		burnOfDay(db, nowMs),
		listBudgets(ctx),
		countOpenAlerts(ctx),
		spendBy(ctx, { fromMs: monthStartMs, toMs: nowMs, groupBy: "provider" }),
		seesAll ? null : getOwnMonth(ctx, monthStartMs),
		monthForecast(ctx),
		moneyAtRisk(ctx),
		readHeartbeat(db),
		lastCheck(db),
		db.select({ value: setting.value }).from(setting).where(eq(setting.key, "demo_history")),
	]);
	return {
		nowMs,
		jobs,
		queue,
		owned,
		cloud,
		burn,
		budgets,
		alerts,
		month,
		ownMonth: own,
		forecast,
		risk,
		scheduler,
		ledgerCheck,
		demoHistory: demoRange(demo[0]?.value),
	};
}

async function lastCheck(db: Db): Promise<OverviewSummary["ledgerCheck"]> {
	const check = await readLedgerCheck(db);
	return check && { checkedAtMs: check.checkedAtMs, ok: check.ok, charges: check.charges, differenceCount: check.differenceCount };
}

async function readQueue(db: Db): Promise<OverviewSummary["queue"]> {
	const [row] = await db.execute<{ jobs: number; held: number; gpus: number; p50: string | null; p90: string | null }>(sql`
		select count(*)::int as jobs, (count(*) filter (where state = 'held'))::int as held, coalesce(sum(gpus), 0)::int as gpus,
			max((forecast->>'p50Ms')::float8)::text as p50, max((forecast->>'p90Ms')::float8)::text as p90
		from job where state in ('queued', 'held')`);
	const lastStart = row?.p50 && row.p90 ? { p50Ms: Number(row.p50), p90Ms: Number(row.p90) } : null;
	return { jobs: row?.jobs ?? 0, held: row?.held ?? 0, gpus: row?.gpus ?? 0, lastStart };
}

async function readOwned(db: Db): Promise<OverviewSummary["owned"]> {
	const [row] = await db.execute<{ gpus: number; busy: number }>(sql`
		select (select coalesce(sum((nodes - nodes_to_come) * gpus_per_node), 0)::int from pool) as gpus,
			(select coalesce(sum(cardinality(slots)), 0)::int from allocation where ended_at is null) as busy`);
	return { gpus: row?.gpus ?? 0, busy: row?.busy ?? 0 };
}

async function readCloud(db: Db): Promise<OverviewSummary["cloud"]> {
	const [row] = await db
		.select({
			instances: sql<number>`count(*)::int`,
			gpus: sql<number>`coalesce(sum(${instance.gpus}), 0)::int`,
			burn: sql<string>`coalesce(sum(${MARGINAL_PRICE}), 0)::text`,
		})
		.from(instance)
		.where(ne(instance.state, "terminated"));
	return { instances: row?.instances ?? 0, gpus: row?.gpus ?? 0, burnMicroUsdPerHour: row?.burn ?? "0" };
}

function demoRange(value: unknown): OverviewSummary["demoHistory"] {
	if (value === null || typeof value !== "object" || !("fromMs" in value) || !("toMs" in value)) return null;
	return { fromMs: Number(value.fromMs), toMs: Number(value.toMs) };
}
