import { and, eq, gte, inArray, lt, or, type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { type Interval, type Period, periodOf } from "#server/accounting/calendar.ts";
import { type Calendar, dayStartMs } from "#server/accounting/zone.ts";
import { budgetPeriodInput } from "#server/contract/inputs/budget.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { budgetCount, budgetJob } from "#server/db/schema/budget.ts";
import { charge } from "#server/db/schema/charge.ts";
import { BUDGET_PERIODS, type BudgetPeriod } from "#server/domain/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { COUNTED } from "./post-slices.ts";

/**
 * The period of a budget that contains a day, in the ledger's calendar.
 * @throws SpillwayError `not_found` for a budget that was never counted, `forbidden`.
 */
export async function budgetPeriodAt(
	ctx: Pick<ServiceContext, "actor" | "db" | "clock">,
	raw: z.input<typeof budgetPeriodInput>,
): Promise<Period> {
	authorize(ctx, "budget:read", null);
	const { id, period } = budgetPeriodInput.parse(raw);
	const kind = await countedBy(ctx.db, id);
	const calendar = await ledgerCalendar(ctx.db);
	const atMs = period === undefined ? ctx.clock.nowMs() : dayStartMs(calendar, Date.parse(`${period}T00:00:00Z`) / DAY_MS);
	return periodOf(kind, atMs, calendar);
}

/** The periods of a budget that overlap a range. @throws SpillwayError `not_found` for a budget that was never counted. */
export async function periodsOfBudget(
	db: DbOrTx,
	id: string,
	{ range, calendar }: { range: Interval; calendar: Calendar },
): Promise<Period[]> {
	const kind = await countedBy(db, id);
	const periods: Period[] = [];
	for (let at = range.fromMs; at < range.toMs; ) {
		const period = periodOf(kind, at, calendar);
		periods.push(period);
		at = period.toMs;
	}
	return periods;
}

/**
 * Condition on a row of `charge`: the budget counts it in one of these periods. `budget_job` lists the jobs that a budget counts in a
 * period, whatever its scope is now, so these charges add up to the posted sum, also for ended periods and for budgets removed from the
 * policy. `each` looks up the job for each row, which finds the first of many charges without reading all.
 */
export function countedCharges(id: string, periods: readonly Period[], how: "each" | "all"): SQL {
	const within = periods.map((period) => {
		const of = sql`from ${budgetJob} where ${budgetJob.budgetId} = ${id} and ${budgetJob.periodKey} = ${period.key}`;
		const [from, to] = [new Date(period.fromMs), new Date(period.toMs)];
		const counted =
			how === "each"
				? sql`coalesce((select true ${of} and ${budgetJob.jobId} = ${charge.jobId}), false)`
				: sql`${charge.jobId} in (select ${budgetJob.jobId} ${of})`;
		return and(gte(charge.periodStart, from), lt(charge.periodStart, to), counted);
	});
	return and(COUNTED, or(...within)) ?? sql`false`;
}

/** Up to this many jobs, comparing them with every charge is fast. With more, looking up jobs one by one finds the first charges sooner. */
const JOBS_MANY = 2_000;

/** Whether `each` is faster than `all` in countedCharges. */
export async function hasManyJobs(db: DbOrTx, id: string, periods: readonly Period[]): Promise<boolean> {
	const keys = periods.map(({ key }) => key);
	const jobs = db
		.select({ one: sql`1` })
		.from(budgetJob)
		.where(and(eq(budgetJob.budgetId, id), inArray(budgetJob.periodKey, keys)))
		.limit(JOBS_MANY + 1);
	return (await db.$count(jobs.as("some"))) > JOBS_MANY;
}

async function countedBy(db: DbOrTx, id: string): Promise<BudgetPeriod> {
	const [row] = await db.select({ period: budgetCount.period }).from(budgetCount).where(eq(budgetCount.budgetId, id));
	const kind = BUDGET_PERIODS.find((period) => period === row?.period);
	if (kind !== undefined) return kind;
	throw new SpillwayError("not_found", `No policy version has a budget "${id}".`, {
		fix: "List budgets with: spillway budgets",
	});
}
