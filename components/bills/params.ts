import { createLoader, createSerializer, type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import type { Inputs, Outputs } from "#components/trpc/outputs.ts";

export type Reconciliation = Outputs["bill"]["reconciliation"];
export type ReconciledResource = Reconciliation["items"][number];
export type ReconciliationRun = Outputs["bill"]["reconciliationHistory"]["runs"][number];
export type PostedByBills = ReconciliationRun["posted"][number];
export type ReconciliationState = ReconciledResource["state"];

export const RECONCILIATION_STATES = ["price_variance", "time_variance", "billed_unknown", "not_billed", "matched"] as const;
const CLOUDS = ["aws", "azure", "gcp"] as const;

const params = {
	provider: parseAsStringLiteral(CLOUDS),
	state: parseAsStringLiteral(RECONCILIATION_STATES),
	team: parseAsString,
	/** The resource of the bill lines shown. */
	resource: parseAsString,
};
export const loadBillsParams = createLoader(params);
const serialize = createSerializer(params);

export interface BillsView extends inferParserType<typeof params> {
	/** A UTC month, as billed by providers. */
	month: string;
}

export const billsHref = ({ month, ...view }: Partial<BillsView> & { month: string }): string => {
	const { provider = null, state = null, team = null, resource = null } = view;
	return serialize(`/statements/${month}/bills`, { provider, state, team: team || null, resource });
};

/** The UTC month before the one of `nowMs`: "2026-10". */
export function utcMonthBefore(nowMs: number): string {
	const now = new Date(nowMs);
	return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)).toISOString().slice(0, 7);
}

/** Selects a reconciliation by its name in a statement; an unknown provider selects all. */
export const billsOfStatement = ({ month, team }: { month: string; team: string }, provider: string): string =>
	billsHref({ month, team, provider: CLOUDS.find((cloud) => cloud === provider) ?? null });

/** Shared by server and browser so that the prefetched query key matches. */
export function billsQuery({ month, provider, state, team }: BillsView): Inputs["bill"]["reconciliation"] {
	return { month, ...(provider === null ? {} : { provider }), ...(state === null ? {} : { state }), ...(team ? { team } : {}) };
}

export function historyQuery({ month, provider }: BillsView): Inputs["bill"]["reconciliationHistory"] {
	return { month, ...(provider === null ? {} : { provider }) };
}
