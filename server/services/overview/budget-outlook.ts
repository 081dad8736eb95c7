import { and, eq, gte, lt, sql } from "drizzle-orm";
import type { z } from "zod";
import { budgetOutlook, type DemandChange, type TeamFacts, type TeamOutlook } from "#server/accounting/budget-outlook.ts";
import { budgetOutlookInput } from "#server/contract/inputs/budget.ts";
import type { Db } from "#server/db/client.ts";
import { budgetDay } from "#server/db/schema/budget.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { DemandForecaster, type DemandPoint } from "#server/scheduling/demand/forecaster.ts";
import { authorize, teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { type BudgetFigures, budgetFigures } from "#server/services/ledger/budget/figures.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { readTeamDemand } from "./demand-forecast.ts";

/** Demand is forecast two weeks ahead; the mean of these hours stands for a longer rest of the period. */
const HOURS_AHEAD_MAX = 336;

export interface BudgetEnd {
	lowMicroUsd: bigint;
	expectedMicroUsd: bigint;
	highMicroUsd: bigint;
	/** Of the reader's teams. */
	teams: TeamOutlook[];
	/** Of all other teams together; null: the reader sees all. */
	others: Omit<TeamOutlook, "team" | "demand"> | null;
	/** Worst case of the machines that run now, part of what is to come. */
	heldMicroUsd: bigint;
}

/**
 * The end of a budget's current period as a range, by the demand forecast of each team. null: too little history.
 * Cost: reads the jobs of a quarter of a year and forecasts each team; 0.3 to 0.5 s with the demo's eight teams.
 * @throws SpillwayError `forbidden`, `not_found`
 */
export async function getBudgetOutlook(ctx: ServiceContext, raw: z.input<typeof budgetOutlookInput>): Promise<BudgetEnd | null> {
	authorize(ctx, "budget:read", null);
	const visible = teamScope(ctx, "spend:read");
	const { id } = budgetOutlookInput.parse(raw);
	const nowMs = ctx.clock.nowMs();
	const { policy } = await activePolicy(ctx.db);
	const rules = policy.budgets.filter((budget) => budget.id === id);
	const [figures] = await budgetFigures(ctx.db, rules, nowMs);
	if (!figures)
		throw new SpillwayError("not_found", `The active policy has no budget "${id}".`, { fix: "List budgets with: spillway budgets" });
	if (!figures.forecast) return null;
	const { postedMicroUsd, heldMicroUsd, period } = figures;
	const calendar = await ledgerCalendar(ctx.db);
	const outlook = budgetOutlook({
		postedMicroUsd,
		teams: await readTeams(ctx.db, figures, nowMs),
		nowMs,
		periodEndMs: period.toMs,
		calendar,
	});
	if (!outlook) return null;
	const { teams, ...end } = outlook;
	const own = teams.filter(({ team }) => visible === null || visible.includes(team));
	const hidden = teams.filter((team) => !own.includes(team));
	return { ...end, heldMicroUsd, teams: own, others: visible === null ? null : sumOf(hidden) };
}

function sumOf(teams: readonly TeamOutlook[]): NonNullable<BudgetEnd["others"]> {
	const sum = (of: (team: TeamOutlook) => bigint) => teams.reduce((total, team) => total + of(team), 0n);
	return {
		unchangedMicroUsd: sum((t) => t.unchangedMicroUsd),
		lowMicroUsd: sum((t) => t.lowMicroUsd),
		expectedMicroUsd: sum((t) => t.expectedMicroUsd),
		highMicroUsd: sum((t) => t.highMicroUsd),
	};
}

/** Teams with charges in the budget's last four weeks, with the change of their demand. */
async function readTeams(db: Db, { rule, history, period }: BudgetFigures, nowMs: number): Promise<TeamFacts[]> {
	const [first] = history;
	if (!first) return [];
	const rows = await db
		.select({ team: budgetDay.team, day: budgetDay.dayStart, sum: sql<string>`sum(${budgetDay.postedMicroUsd})::text` })
		.from(budgetDay)
		.where(
			and(eq(budgetDay.budgetId, rule.id), gte(budgetDay.dayStart, new Date(first.dayStartMs)), lt(budgetDay.dayStart, new Date(nowMs))),
		)
		.groupBy(budgetDay.team, budgetDay.dayStart);
	const { fromHour, groups } = await readTeamDemand(db, Math.floor(nowMs / HOUR_MS));
	const hoursAhead = Math.min(HOURS_AHEAD_MAX, Math.max(1, Math.ceil((period.toMs - nowMs) / HOUR_MS)));
	return [...Map.groupBy(rows, ({ team }) => team)].map(([team, days]) => {
		const byDay = new Map(days.map(({ day, sum }) => [day.getTime(), BigInt(sum)]));
		return {
			team,
			history: history.map(({ dayStartMs }) => ({ dayStartMs, microUsd: byDay.get(dayStartMs) ?? 0n })),
			demand: demandChange(fromHour, groups.get(team), { hoursAhead, hoursBack: (history.length * DAY_MS) / HOUR_MS }),
		};
	});
}

/** null: nothing was asked for, or the forecast has no range yet. */
function demandChange(
	fromHour: number,
	demand: Float64Array | undefined,
	{ hoursAhead, hoursBack }: { hoursAhead: number; hoursBack: number },
): DemandChange | null {
	const recent = demand?.slice(-hoursBack) ?? new Float64Array();
	const mean = meanOf(recent, (gpus) => gpus);
	if (!demand || mean <= 0) return null;
	const forecaster = new DemandForecaster(fromHour);
	for (const gpus of demand) forecaster.push(gpus);
	const points = forecaster.forecast(hoursAhead);
	if (!points.every(({ hasRange }) => hasRange)) return null;
	const change = (of: (point: DemandPoint) => number) => meanOf(points, of) / mean;
	return { p10: change(({ p10 }) => p10), p50: change(({ p50 }) => p50), p90: change(({ p90 }) => p90) };
}

function meanOf<T>(values: Iterable<T>, of: (value: T) => number): number {
	let [sum, count] = [0, 0];
	for (const value of values) {
		sum += of(value);
		count++;
	}
	return count === 0 ? 0 : sum / count;
}
