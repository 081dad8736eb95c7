import type { Db } from "#server/db/client.ts";
import { ManualClock } from "#server/kernel/clock.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { type ServiceContext, systemContext } from "#server/services/core/context.ts";
import { getBudget } from "#server/services/ledger/budget/get.ts";
import { listBudgets } from "#server/services/ledger/budget/list.ts";
import { carbonBy } from "#server/services/reporting/carbon/carbon-by.ts";
import { carbonPage } from "#server/services/reporting/carbon/page.ts";
import { spendByJob } from "#server/services/reporting/spend/by-job.ts";
import { type ListChargesInput, listCharges } from "#server/services/reporting/spend/charges.ts";
import { lostWork } from "#server/services/reporting/spend/lost-work.ts";
import { monthForecast } from "#server/services/reporting/spend/month-forecast.ts";
import { spendPage } from "#server/services/reporting/spend/page.ts";
import { spendSeries } from "#server/services/reporting/spend/series.ts";
import { spendBy } from "#server/services/reporting/spend/spend-by.ts";
import { spotSavings } from "#server/services/reporting/spend/spot-savings.ts";
import { listStatements } from "#server/services/reporting/statement/list.ts";
import { previewStatement } from "#server/services/reporting/statement/preview.ts";
import { YEAR } from "./ledger-books.ts";

/** Noon of one of the last filled days. */
export const NOW_MS = Date.UTC(2026, 10, 28, 12);

export type Queries = Record<string, () => Promise<unknown>>;

/**
 * Every query behind Spend, Carbon, Budgets and Statements, as the screens run them; `page…` runs all panels of a screen at the same time.
 */
export function ledgerQueries(db: Db): Queries {
	const ctx: ServiceContext = systemContext(db, new ManualClock(NOW_MS));
	const scientist: ServiceContext = {
		...ctx,
		actor: { kind: "person", accountId: "usr_1", name: "S", role: "data_scientist", teams: ["team-3"], via: "session" },
	};
	const today = Math.floor(NOW_MS / DAY_MS) * DAY_MS;
	const month = { fromMs: Date.UTC(2026, 10), toMs: today + DAY_MS };
	const whole = { fromMs: Date.UTC(2026, 10), toMs: Date.UTC(2026, 11) };
	const sixty = { fromMs: today - 59 * DAY_MS, toMs: today + DAY_MS };
	const hours = { fromMs: NOW_MS - 30 * DAY_MS - 5 * HOUR_MS, toMs: NOW_MS };
	const two = { region: ["us-east-1"], class: ["burst" as const] };
	const rare = { ...two, accelerator: ["H100-80GB"], project: ["project-7"] };
	return {
		spendPageMonth: () => spendPage(ctx, month),
		spendPage60Days: () => spendPage(ctx, { ...sixty, groupBy: "project" }),
		spendPageYear: () => spendPage(ctx, { ...YEAR, groupBy: "region" }),
		spendByTeamYear: () => spendBy(ctx, { ...YEAR, groupBy: "team" }),
		spendByRegion60Days: () => spendBy(ctx, { ...sixty, groupBy: "region" }),
		spendByDayYear: () => spendBy(ctx, { ...YEAR, groupBy: "day" }),
		spendOfHours: () => spendBy(ctx, { ...hours, groupBy: "class" }),
		spendFilteredByOne: () => spendBy(ctx, { ...YEAR, groupBy: "team", filters: { region: ["us-east-1", "eastus"] } }),
		spendFilteredByTwo: () => spendBy(ctx, { ...month, groupBy: "project", filters: two }),
		spendFilteredByTwoYear: () => spendBy(ctx, { ...YEAR, groupBy: "project", filters: two }),
		spendOfOneTeam: () => spendBy(scientist, { ...YEAR, groupBy: "project" }),
		spendWeeks: () => spendSeries(ctx, { fromMs: today - 180 * DAY_MS, toMs: today + DAY_MS }),
		spendJobsMonth: () => spendByJob(ctx, month),
		spendJobsYear: () => spendByJob(ctx, YEAR),
		spendJobsOfTeamYear: () => spendByJob(scientist, YEAR),
		chargesNewest: () => listCharges(ctx, YEAR),
		chargesOfTeam: () => listCharges(scientist, YEAR),
		chargesFilteredByTwo: () => listCharges(ctx, { ...month, filters: two }),
		chargesRare: () => listCharges(ctx, { ...YEAR, filters: rare }),
		chargesOfNothing: () => listCharges(ctx, { ...YEAR, filters: { region: ["us-east-1"], capacityType: ["reserved"] } }),
		chargesPages: pages(ctx, { ...YEAR, filters: { team: ["team-5"] }, limit: 200 }),
		chargesOfBudget: () => listCharges(ctx, { ...whole, budget: "several-gpus" }),
		chargesOfBudgetDay: () =>
			listCharges(ctx, { fromMs: today - DAY_MS, toMs: today, filters: { team: ["team-5"] }, budget: "several-gpus" }),
		chargesOfBudgetPages: pages(ctx, { ...whole, budget: "several-gpus", limit: 200 }),
		spotSavingsYear: () => spotSavings(ctx, YEAR),
		lostWorkMonth: () => lostWork(ctx, month),
		lostWorkYear: () => lostWork(ctx, YEAR),
		monthForecast: () => monthForecast(ctx),
		carbonPageMonth: () => carbonPage(ctx, month),
		carbonByRegionYear: () => carbonBy(ctx, { ...YEAR, groupBy: "region" }),
		carbonByTeam60Days: () => carbonBy(ctx, { ...sixty, groupBy: "team" }),
		budgetList: () => listBudgets(ctx),
		budgetMonth: () => getBudget(ctx, { id: "cloud-month" }),
		budgetYear: () => getBudget(ctx, { id: "team-3-year" }),
		statementList: () => listStatements(ctx),
		statementCompany: () => previewStatement(ctx, { month: "2026-10", team: "" }),
		statementTeam: () => previewStatement(ctx, { month: "2026-10", team: "team-3" }),
	};
}

/** Cycles through the pages. */
function pages(ctx: ServiceContext, input: ListChargesInput): () => Promise<unknown> {
	let cursor: string | null = null;
	return async () => {
		cursor = (await listCharges(ctx, { ...input, ...(cursor === null ? {} : { cursor }) })).nextCursor;
	};
}
