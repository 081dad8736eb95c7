import { createLoader, createSerializer, parseAsString, parseAsStringLiteral } from "nuqs/server";
import type { Outputs } from "#components/trpc/outputs.ts";

export type BudgetRow = Outputs["budget"]["list"][number];
export type BudgetDetail = Outputs["budget"]["get"];
export type AlertItem = Outputs["alert"]["list"]["items"][number];
export type Channel = Outputs["channel"]["list"][number];

export const ALERT_STATES = ["open", "past"] as const;
export type AlertState = (typeof ALERT_STATES)[number];

const params = {
	/** The selected budget; the first if absent. */
	budget: parseAsString,
	/** First day of an ended period; the current period if absent. */
	period: parseAsString,
	alerts: parseAsStringLiteral(ALERT_STATES).withDefault("open"),
	/** Dollars: opens the form to change the cap with this amount. */
	cap: parseAsString,
};
export const loadBudgetParams = createLoader(params);
const serialize = createSerializer(params);

export interface BudgetView {
	budget: string | null;
	period: string | null;
	alerts: AlertState;
	cap: string | null;
}
export const budgetsHref = (view: Partial<BudgetView>): string => serialize("/budgets", view);

/** Shared by server and browser so that prefetched query keys match. */
export const budgetQuery = (id: string, period: string | null) => ({ id, ...(period === null ? {} : { period }) });
export const alertsQuery = (state: AlertState) => ({ state, limit: 50 });
export const DELIVERIES_QUERY = { limit: 20 };
