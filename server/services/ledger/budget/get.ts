import { and, desc, eq, gte, inArray, lt, ne, sql } from "drizzle-orm";
import type { z } from "zod";
import { nextBucketStartMs, type Period, periodOf } from "#server/accounting/calendar.ts";
import { forecastByDay } from "#server/accounting/forecast.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import { getBudgetInput } from "#server/contract/inputs/budget.ts";
import type { Db } from "#server/db/client.ts";
import { budgetDay, budgetJob, hold, holdBudget } from "#server/db/schema/budget.ts";
import { job } from "#server/db/schema/job.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { describeBudget } from "#server/policy/describe-budget.ts";
import { authorize, teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { type BudgetFigures, budgetFigures } from "./figures.ts";
import { type PastPeriod, readPastPeriods } from "./history.ts";
import { type BudgetStatus, toStatus } from "./list.ts";

export interface BudgetDetail extends BudgetStatus {
	/** Version in force; a change of the cap must name it. */
	policyVersion: number;
	/** Scope, cap and the action at the cap, as a sentence. */
	sentence: string;
	/** Every day of the period up to today, with the amount posted on it. */
	days: { dayStartMs: number; postedMicroUsd: bigint }[];
	/** Forecast cumulative cost at the end of each remaining day; empty without a forecast. */
	ahead: { atMs: number; lowMicroUsd: bigint; expectedMicroUsd: bigint; highMicroUsd: bigint }[];
	/** Live machines with their worst case held. */
	machines: number;
	/** Most expensive first; teams hidden from the reader are combined into one sum. */
	teams: { team: string; postedMicroUsd: bigint }[];
	otherTeamsMicroUsd: bigint;
	/** Whether the reader may see the charges of all teams, and so those behind every sum here. */
	seesAllTeams: boolean;
	/** The most expensive TOP_JOBS jobs of the reader's teams. */
	jobs: { jobId: string; name: string; team: string; state: string; postedMicroUsd: bigint }[];
	/** Ended periods, latest first. */
	history: PastPeriod[];
}

const TOP_JOBS = 10;

/**
 * One budget in one period: posted by day, expected, spending by job and team, and the results of earlier periods. Cost: rows of days,
 * teams and periods, and the first jobs of an index; never charges.
 * @throws SpillwayError `not_found`, `forbidden`.
 */
export async function getBudget(ctx: ServiceContext, raw: z.input<typeof getBudgetInput>): Promise<BudgetDetail> {
	authorize(ctx, "budget:read", null);
	const visible = visibleTeams(ctx);
	const input = getBudgetInput.parse(raw);
	const nowMs = ctx.clock.nowMs();
	const { policy, version } = await activePolicy(ctx.db);
	const [figures] = await budgetFigures(
		ctx.db,
		policy.budgets.filter((b) => b.id === input.id),
		nowMs,
	);
	if (!figures)
		throw new SpillwayError("not_found", `The active policy has no budget "${input.id}".`, { fix: "List budgets with: spillway budgets" });
	const calendar = await ledgerCalendar(ctx.db);
	const history = await readPastPeriods(ctx.db, figures, calendar);
	const past = input.period === undefined ? undefined : history.find((p) => p.periodKey === input.period);
	if (input.period !== undefined && !past && input.period !== figures.period.key)
		throw new SpillwayError(
			"not_found",
			`Nothing is on record of ${input.id} for a ${figures.rule.period} that begins on ${input.period}.`,
		);
	const period = past ? periodOf(figures.rule.period, past.fromMs, calendar) : figures.period;
	const [days, teams, jobs, machines] = await Promise.all([
		readDays(ctx.db, input.id, period, Math.min(nowMs, period.toMs - 1), calendar),
		readTeams(ctx.db, input.id, period),
		readJobs(ctx.db, input.id, period, visible),
		past ? 0 : countMachines(ctx.db, input.id),
	]);
	const mine = teams.filter((t) => visible === null || visible.includes(t.team));
	const sum = (list: typeof teams) => list.reduce((total, t) => total + t.postedMicroUsd, 0n);
	return {
		...(past ? pastStatus(figures, past) : toStatus(figures)),
		...{
			policyVersion: version,
			sentence: describeBudget(figures.rule)
				.sentence.map((part) => part.text)
				.join(""),
			days,
			machines,
			jobs,
			history,
		},
		ahead: past ? [] : forecastAhead(figures, nowMs, calendar),
		...{ teams: mine, otherTeamsMicroUsd: sum(teams) - sum(mine), seesAllTeams: visible === null },
	};
}

/** null: all teams. */
function visibleTeams(ctx: ServiceContext): readonly string[] | null {
	return teamScope(ctx, "spend:read");
}

/** An ended period has no holds and no expected spending. */
function pastStatus(figures: BudgetFigures, past: PastPeriod): BudgetStatus {
	const cap = past.capMicroUsd ?? figures.rule.capMicroUsd;
	return {
		...toStatus(figures),
		...{ periodKey: past.periodKey, periodStartMs: past.fromMs, periodEndMs: past.toMs, capMicroUsd: cap },
		...{ postedMicroUsd: past.postedMicroUsd, heldMicroUsd: 0n, freeMicroUsd: cap - past.postedMicroUsd, forecast: null },
	};
}

async function readDays(db: Db, id: string, period: Period, untilMs: number, calendar: Calendar): Promise<BudgetDetail["days"]> {
	const rows = await db
		.select({ day: budgetDay.dayStart, sum: sql<string>`sum(${budgetDay.postedMicroUsd})::text` })
		.from(budgetDay)
		.where(and(eq(budgetDay.budgetId, id), gte(budgetDay.dayStart, new Date(period.fromMs)), lt(budgetDay.dayStart, new Date(period.toMs))))
		.groupBy(budgetDay.dayStart);
	const byDay = new Map(rows.map((r): [number, bigint] => [r.day.getTime(), BigInt(r.sum)]));
	const days: BudgetDetail["days"] = [];
	for (let at = period.fromMs; at <= untilMs; at = nextBucketStartMs("day", at, calendar)) {
		days.push({ dayStartMs: at, postedMicroUsd: byDay.get(at) ?? 0n });
	}
	return days;
}

async function readTeams(db: Db, id: string, period: Period): Promise<{ team: string; postedMicroUsd: bigint }[]> {
	const rows = await db
		.select({ team: budgetDay.team, sum: sql<string>`sum(${budgetDay.postedMicroUsd})::text` })
		.from(budgetDay)
		.where(and(eq(budgetDay.budgetId, id), gte(budgetDay.dayStart, new Date(period.fromMs)), lt(budgetDay.dayStart, new Date(period.toMs))))
		.groupBy(budgetDay.team)
		.orderBy(desc(sql`sum(${budgetDay.postedMicroUsd})`), budgetDay.team);
	return rows.map((r) => ({ team: r.team, postedMicroUsd: BigInt(r.sum) }));
}

async function readJobs(db: Db, id: string, period: Period, teams: readonly string[] | null): Promise<BudgetDetail["jobs"]> {
	return db
		.select({ jobId: job.id, name: job.name, team: job.team, state: job.state, postedMicroUsd: budgetJob.postedMicroUsd })
		.from(budgetJob)
		.innerJoin(job, eq(job.id, budgetJob.jobId))
		.where(
			and(
				eq(budgetJob.budgetId, id),
				eq(budgetJob.periodKey, period.key),
				ne(budgetJob.postedMicroUsd, 0n),
				teams === null ? undefined : teams.length === 0 ? sql`false` : inArray(job.team, [...teams]),
			),
		)
		.orderBy(desc(budgetJob.postedMicroUsd), desc(budgetJob.jobId))
		.limit(TOP_JOBS);
}

async function countMachines(db: Db, id: string): Promise<number> {
	const [row] = await db
		.select({ count: sql<number>`count(*)::int` })
		.from(hold)
		.innerJoin(holdBudget, eq(holdBudget.holdId, hold.id))
		.where(and(eq(hold.state, "pending"), eq(holdBudget.budgetId, id)));
	return row?.count ?? 0;
}

function forecastAhead({ postedMicroUsd, history, period }: BudgetFigures, nowMs: number, calendar: Calendar): BudgetDetail["ahead"] {
	const days = forecastByDay({ spentSoFarMicroUsd: postedMicroUsd, history, nowMs, periodEndMs: period.toMs, calendar }) ?? [];
	return days.map(({ samples: _, ...day }) => day);
}
