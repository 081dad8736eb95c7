import type { VarianceCause } from "./variance-cause.ts";
import type { CapacityType, Provider } from "./vocabulary.ts";

/** The lines of a statement, in its order. `owned` is hardware while jobs used it, `idle` while no one did. */
export const STATEMENT_LINES = [
	...(["owned", "idle", "spot", "on_demand", "reserved"] as const),
	...(["egress", "storage", "commitment", "credit", "tax", "adjustment"] as const),
] as const;
export type StatementLineKey = (typeof STATEMENT_LINES)[number];

export const SAVING_KEYS = ["spot_against_on_demand", "home_against_cloud", "burst_against_waiting"] as const;
export type SavingKey = (typeof SAVING_KEYS)[number];

export const WASTE_KEYS = ["failed", "interrupted", "cancelled", "idle"] as const;
export type WasteKey = (typeof WASTE_KEYS)[number];

/**
 * What a closed month says, as stored: money as decimal strings of micro-dollars, GPU time in milliseconds, energy in
 * milliwatt-hours and emissions in milligrams as strings too, so that the JSON is exact. "" as team is the company.
 */
export interface StatementContent {
	month: string;
	team: string;
	/** 1 is the first closing; 0 is a preview, which is never stored. */
	version: number;
	/** sha256 of the version before; null on the first. */
	replaces: string | null;
	/** Half-open, of the ledger's calendar. */
	fromMs: number;
	toMs: number;
	zone: string;
	/** Charges posted up to this moment are in it. */
	postedUntilMs: number;
	/** Exactly the charges of the month with numbers up to this are in it. A preview has none, nor have versions from before numbers. */
	postedUntilNumber?: number;
	/** First day with charges, when it lies in this month or the one before: what is earlier is unknown, not zero. */
	ledgerFromMs?: number;
	/** How many charges. */
	charges: number;
	totals: StatementSums;
	/** The month before, for comparison; null when nothing was charged then. */
	previousTotals: StatementSums | null;
	/** Why it cost more or less than the month before. Absent where a month is not whole, and in versions from before. */
	variance?: StatementVariance;
	/** This month in the reporting currency. Absent where that is US dollars. */
	inCurrency?: StatementInCurrency;
	/** Everything that owned hardware cost, idle included, against everything that clouds cost. */
	sides: { key: "owned" | "cloud"; sums: StatementSums; previous: StatementSums | null }[];
	/** On-prem and cloud in their parts; they add up to the totals. A line without charges in both months is left out. */
	lines: { key: StatementLineKey; sums: StatementSums; previous: StatementSums | null }[];
	/** Of the company alone: most expensive first. "" is what belongs to no team, such as idle hardware. */
	byTeam: { key: string; sums: StatementSums }[];
	/** Most expensive first; "" is without a project. */
	byProject: { key: string; sums: StatementSums }[];
	/** What was bought and used, each once: of the company in all, of a team by project. They add up to the totals. */
	items: StatementItem[];
	/** Most expensive first, at most 20. */
	topJobs: { jobId: string; name: string; team: string; state: string; sums: StatementSums }[];
	/** Each with how it is computed, word for word as the page shows it. */
	savings: { key: SavingKey; microUsd: string | null; hours: string | null; reckoned: string }[];
	waste: { key: WasteKey; microUsd: string; gpuMs: string }[];
	carbon: StatementCarbon;
	budgets: StatementBudget[];
	/** What the providers billed against what the ledger held before it was adjusted; empty without an imported bill. */
	bills: StatementBill[];
}

/** Amounts are millionths of the currency, as texts, and converted day by day; each list adds up to the total. */
export interface StatementInCurrency {
	/** ISO 4217. */
	currency: string;
	/** Every rate that was used: so many units were worth so many US dollars. They stay with a closed version. */
	rates: { date: string; units: string; usd: string; source: string }[];
	totalMicro: string;
	sides: { key: "owned" | "cloud"; micro: string }[];
	lines: { key: StatementLineKey; micro: string }[];
	byTeam: { key: string; micro: string }[];
	byProject: { key: string; micro: string }[];
}

/** The causes add up to after − before. Micro-dollars. */
export interface StatementVariance {
	/** The largest cause in words; null where nothing changed. */
	sentence: string | null;
	beforeMicroUsd: string;
	afterMicroUsd: string;
	/** Those that changed anything, in the order of a waterfall. */
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
	/** GPU time with unknown operational emissions, power contract and manufacturing emissions. */
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
	/** Of the whole period, as far as it was posted when the month was closed. */
	postedMicroUsd: string;
	/** posted − cap: above 0 is overspent. */
	varianceMicroUsd: string;
	note: string | null;
}

export interface StatementBill {
	provider: string;
	resources: number;
	/** Resources billed that the ledger does not know. */
	unknown: number;
	estimatedMicroUsd: string;
	billedMicroUsd: string;
	adjustedMicroUsd: string;
	/** billed − estimated − adjusted: what no adjustment accounts for. */
	unexplainedMicroUsd: string;
	note: string | null;
}

/** Where a month stands. `changed`: charges of it were posted after it was closed. */
export const STATEMENT_STATES = ["open", "to_close", "closed", "changed", "signed"] as const;
export type StatementState = (typeof STATEMENT_STATES)[number];
