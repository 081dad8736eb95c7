import { inArray, sql } from "drizzle-orm";
import { bucketStartMs, type Period, periodOf } from "#server/accounting/calendar.ts";
import { type DailySpend, forecastSpend, type SpendForecast } from "#server/accounting/forecast.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { budgetPeriod } from "#server/db/schema/budget.ts";
import type { BudgetRule } from "#server/domain/policy.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { HISTORY_DAYS } from "./count.ts";

/** A budget in its current period, with the inputs of its forecast. */
export interface BudgetFigures {
	rule: BudgetRule;
	period: Period;
	postedMicroUsd: bigint;
	/** Holds of live instances, whichever period each was placed in. */
	heldMicroUsd: bigint;
	/** Forecast to the end of the period; null with too little history. */
	forecast: SpendForecast | null;
	/** Whole days before today used for the forecast. */
	history: DailySpend[];
}

/** Budgets with their forecasts, in rule order. Cost: three small queries, whatever the ledger's size. */
export async function budgetFigures(db: DbOrTx, rules: readonly BudgetRule[], nowMs: number): Promise<BudgetFigures[]> {
	if (rules.length === 0) return [];
	const calendar = await ledgerCalendar(db);
	const ids = rules.map((r) => r.id);
	const [periods, learnt] = await Promise.all([
		db.select().from(budgetPeriod).where(inArray(budgetPeriod.budgetId, ids)),
		readHistory(db, ids, nowMs, calendar),
	]);
	return rules.map((rule) => {
		const period = periodOf(rule.period, nowMs, calendar);
		const own = periods.filter((p) => p.budgetId === rule.id);
		const postedMicroUsd = own.find((p) => p.periodKey === period.key)?.postedMicroUsd ?? 0n;
		const history = learnt(rule.id);
		return {
			...{ rule, period, postedMicroUsd, history },
			heldMicroUsd: own.reduce((sum, p) => sum + p.heldMicroUsd, 0n),
			forecast: forecastSpend({ spentSoFarMicroUsd: postedMicroUsd, history, nowMs, periodEndMs: period.toMs, calendar }),
		};
	});
}

/**
 * Charges on the whole days before today, with zeros for days without charges. The ledger's first day may be partial, so that day and the
 * days before it are omitted rather than counted as free.
 */
async function readHistory(db: DbOrTx, ids: readonly string[], nowMs: number, calendar: Calendar): Promise<(id: string) => DailySpend[]> {
	const starts = daysBefore(bucketStartMs("day", nowMs, calendar), calendar);
	const from = new Date(starts[0] ?? nowMs).toISOString();
	const [rows, [first]] = await Promise.all([
		db.execute<{ id: string; day: string; sum: string }>(sql`
			select budget_id as id, (extract(epoch from day_start) * 1000)::bigint::text as day, sum(posted_micro_usd)::text as sum from budget_day
			where budget_id in ${[...ids]} and day_start >= ${from}::timestamptz group by budget_id, day_start`),
		db.execute<{ day: string | null }>(sql`
			select (extract(epoch from min(bucket_start)) * 1000)::bigint::text as day from rollup where granularity = 'day'`),
	]);
	const firstMs = first?.day ? Number(first.day) : Number.POSITIVE_INFINITY;
	const known = starts.filter((start) => start > firstMs);
	return (id) => {
		const own = new Map(rows.filter((r) => r.id === id).map((r): [number, bigint] => [Number(r.day), BigInt(r.sum)]));
		return known.map((dayStartMs) => ({ dayStartMs, microUsd: own.get(dayStartMs) ?? 0n }));
	};
}

/** Starts of the HISTORY_DAYS days before this one, oldest first. */
function daysBefore(todayMs: number, calendar: Calendar): number[] {
	const starts: number[] = [];
	for (let at = todayMs; starts.length < HISTORY_DAYS; ) {
		at = bucketStartMs("day", at - DAY_MS / 2, calendar);
		starts.unshift(at);
	}
	return starts;
}
