import type { Placement } from "./capacity.ts";
import type { Reason } from "./reasons.ts";

/** A range of points in time, UTC ms: half of the forecasts lie before p50, nine in ten before p90. */
export interface TimeRange {
	p50Ms: number;
	p90Ms: number;
}

/** One place that was considered for a job. Amounts are estimates, decimal strings of micro-dollars. */
export interface Candidate {
	placement: Placement;
	offerId: string | null;
	/** Machines needed: the job's nodes. */
	instances: number;
	hourlyMicroUsd: string;
	start: TimeRange;
	finish: TimeRange;
	/** Expected speed relative to a machine of speed 1. Times, energy and cost include it. Absent: 1. */
	speed?: number;
	/** Where `speed` comes from. Absent: the site's setting, or speed 1. */
	speedSource?: SpeedSource;
	/**
	 * Of the time until the start: data that lie at home are copied into the region's store before anything is billed, ms. Absent:
	 * none are.
	 */
	copyAheadMs?: number;
	/** What the run would cost there from now to its end, by part; `cash` is what is newly spent (0 at home). */
	computeMicroUsd: string;
	egressMicroUsd: string;
	/**
	 * Disks. Absent: the price of a cloud's disks is not known and they are in no amount here, or owned capacity, where the cost
	 * includes everything.
	 */
	storageMicroUsd?: string;
	totalMicroUsd: string;
	cashMicroUsd: string;
	/** The most that this placement may spend: what is held of the budget. */
	worstCaseMicroUsd: string;
	emissionsGrams: number | null;
	/** total + delay × weight + carbon × weight: what the choice is made by. */
	scoreMicroUsd: string;
	outcome: "chosen" | "passes" | "removed";
	/** The rule or fact that removed it. ruleId is null when no rule but a fact did (hardware, price, capacity). */
	removedBy: { ruleId: string | null; why: RemovalCode; facts: Reason["facts"] } | null;
}

/**
 * Where an expected speed comes from, best first: measured by this family of jobs, declared in the job file, learned from
 * other jobs of the team or company, or public measurements.
 */
export const SPEED_SOURCES = ["measured", "declared", "learned", "prior"] as const;
export type SpeedSource = (typeof SPEED_SOURCES)[number];

export const REMOVAL_CODES = [
	"site_denied",
	"region_denied",
	"region_not_allowed",
	"family_denied",
	"family_not_allowed",
	"site_not_allowed",
	"capacity_type_denied",
	"capacity_type_required",
	"residency",
	"data_at_home",
	"hardware_gpus",
	"hardware_accelerator",
	"hardware_cpus",
	"hardware_memory",
	"hardware_gpu_memory",
	"hardware_bf16",
	"too_slow",
	"life_too_short",
	"price_missing",
	"price_zero",
	"price_stale",
	"spot_not_cheaper",
	"capacity_backoff",
	"burst_not_due",
	"budget_exceeded",
	"approval_required",
	"no_free_slots",
	"site_unreachable",
	"multi_node_unsupported",
	"reserved_full",
	"reserved_too_short",
	"quota_exceeded",
	"cap_exceeded",
	"burst_cost_limit",
	"burst_data_limit",
	"deadline_needs_firm",
	"spot_is_cheapest",
	"spot_too_short",
	"spot_worth_the_wait",
] as const;
export type RemovalCode = (typeof REMOVAL_CODES)[number];

export type Outcome = "place_home" | "launch" | "wait" | "hold" | "fail";

/** What was considered for one job in one cycle, and why; stored with the decision and never changed. */
export interface Explanation {
	jobId: string;
	decidedAtMs: number;
	policy: { name: string; version: number };
	outcome: Outcome;
	reason: Reason;
	/** What the cloud's money rules say of this job. */
	verdict: "allow" | "deny" | "needs_approval";
	/** Waiting at home: when it would start. null when no owned pool can ever run it. */
	homeStart: TimeRange | null;
	/** The candidates worth showing: home first, then offers by score; at most EXPLAINED_CANDIDATES. */
	candidates: Candidate[];
	/** All that were removed, by what removed them, with the cheapest of each kind. */
	removed: { ruleId: string | null; why: RemovalCode; count: number; cheapest: Candidate }[];
	consideredCount: number;
}

export const EXPLAINED_CANDIDATES = 12;
