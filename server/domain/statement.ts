import type { VarianceCause } from "./variance-cause.ts";
import type { CapacityType, Provider } from "./vocabulary.ts";

/** The lines of a statement, in order. `owned` is hardware in use by jobs, `idle` is unused hardware, `kept_warm` cloud machines without a job. */
export const STATEMENT_LINES = [
	...(["owned", "idle", "spot", "on_demand", "reserved"] as const),
	...(["kept_warm", "egress", "storage", "commitment", "credit", "tax", "adjustment"] as const),
] as const;
export type StatementLineKey = (typeof STATEMENT_LINES)[number];

export const SAVING_KEYS = ["spot_against_on_demand", "home_against_cloud", "burst_against_waiting"] as const;
export type SavingKey = (typeof SAVING_KEYS)[number];

export const WASTE_KEYS = ["failed", "interrupted", "cancelled", "idle"] as const;
export type WasteKey = (typeof WASTE_KEYS)[number];

/**
 * A closed month, as stored: money as decimal strings of micro-dollars; GPU time in milliseconds, energy in
 * milliwatt-hours and emissions in milligrams as strings too, so that the JSON is exact. Team "" is the company.
 */
export interface StatementContent {
	month: string;
	team: string;
	/** 1 is the first closing; 0 is a preview, which is never stored. */
	version: number;
	/** sha256 of the previous version; null on the first. */
	replaces: string | null;
	/** Half-open, in the ledger's calendar. */
	fromMs: number;
	toMs: number;
	zone: string;
	/** Includes charges posted up to this moment. */
	postedUntilMs: number;
	/**
	 * Includes exactly the month's charges numbered up to this one. Absent for a preview, and for versions from before
	 * charges had numbers.
	 */
	postedUntilNumber?: number;
	/** First day with charges, if in this month or the previous one: anything earlier is unknown, not zero. */
	ledgerFromMs?: number;
	/** Number of charges. */
	charges: number;
	totals: StatementSums;
	/** The previous month, for comparison; null when it has no charges. */
	previousTotals: StatementSums | null;
	/** Causes of the change in cost since the previous month. Absent when a month is incomplete, and in older versions. */
	variance?: StatementVariance;
	/** This month in the reporting currency. Absent if that is US dollars. */
	inCurrency?: StatementInCurrency;
	/** The full cost of owned hardware, idle time included, and the full cost of clouds. */
	sides: { key: "owned" | "cloud"; sums: StatementSums; previous: StatementSums | null }[];
	/** On-prem and cloud broken down; the parts add up to the totals. A line without charges in both months is left out. */
	lines: { key: StatementLineKey; sums: StatementSums; previous: StatementSums | null }[];
	/** Company statement only: most expensive first. "" is for amounts that belong to no team, such as idle hardware. */
	byTeam: { key: string; sums: StatementSums }[];
	/** Most expensive first; "" is for charges without a project. */
	byProject: { key: string; sums: StatementSums }[];
	/** Amounts bought and used, each counted once: in total for the company, by project for a team. They add up to the totals. */
	items: StatementItem[];
	/** Most expensive first, at most 20. */
	topJobs: { jobId: string; name: string; team: string; state: string; sums: StatementSums }[];
	/** Each with its formula as text, exactly as on the page. */
	savings: { key: SavingKey; microUsd: string | null; hours: string | null; reckoned: string }[];
	waste: { key: WasteKey; microUsd: string; gpuMs: string }[];
	carbon: StatementCarbon;
	budgets: StatementBudget[];
	/** Provider bills compared with the ledger before adjustments; empty without an imported bill. */
	bills: StatementBill[];
}

/** Amounts are millionths of the currency, as strings, converted day by day; each list adds up to the total. */
export interface StatementInCurrency {
	/** ISO 4217. */
	currency: string;
	/** Every rate used: so many units were worth so many US dollars. A closed version keeps them. */
	rates: { date: string; units: string; usd: string; source: string }[];
	totalMicro: string;
	sides: { key: "owned" | "cloud"; micro: string }[];
	lines: { key: StatementLineKey; micro: string }[];
	byTeam: { key: string; micro: string }[];
	byProject: { key: string; micro: string }[];
}

/** Causes that add up to after − before. Micro-dollars. */
export interface StatementVariance {
	/** The largest cause in words; null when nothing changed. */
	sentence: string | null;
	beforeMicroUsd: string;
	afterMicroUsd: string;
	/** Causes with an effect, in the order of a waterfall. */
	causes: { cause: VarianceCause; microUsd: string }[];
}

export interface StatementSums {
	effectiveMicroUsd: string;
	billedMicroUsd: string;
	listMicroUsd: string;
	gpuMs: string;
	energyMilliWh: string;
	emissionsMilligrams: string;
}

export interface StatementItem {
	project: string;
	line: StatementLineKey;
	provider: Provider;
	capacityType: CapacityType;
	accelerator: string;
	sums: StatementSums;
}

export interface StatementCarbon {
	/** Location-based. */
	operationalMilligrams: string;
	marketMilligrams: string;
	embodiedMilligrams: string;
	energyMilliWh: string;
	measuredEnergyMilliWh: string;
	hourlyGridMilliWh: string;
	/** GPU time with unknown operational emissions, power contract or manufacturing emissions. */
	unknownGpuMs: string;
	marketUnknownGpuMs: string;
	embodiedUnknownGpuMs: string;
}

export interface StatementBudget {
	id: string;
	scope: string;
	period: "month" | "quarter" | "year";
	periodKey: string;
	capMicroUsd: string;
	/** For the whole period, as posted when the month was closed. */
	postedMicroUsd: string;
	/** posted − cap; above 0 is overspent. */
	varianceMicroUsd: string;
	note: string | null;
}

export interface StatementBill {
	provider: string;
	resources: number;
	/** Billed resources missing from the ledger. */
	unknown: number;
	estimatedMicroUsd: string;
	billedMicroUsd: string;
	adjustedMicroUsd: string;
	/** billed − estimated − adjusted: the unexplained remainder. */
	unexplainedMicroUsd: string;
	note: string | null;
}

/** State of a month. `changed`: charges of the month were posted after it was closed. */
export const STATEMENT_STATES = ["open", "to_close", "closed", "changed", "signed"] as const;
export type StatementState = (typeof STATEMENT_STATES)[number];
