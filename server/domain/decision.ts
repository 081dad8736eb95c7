import type { Placement } from "./capacity.ts";
import type { Reason } from "./reasons.ts";

/** Forecast times, UTC ms: the median (p50) and the 90th percentile (p90). */
export interface TimeRange {
	p50Ms: number;
	p90Ms: number;
}

/** One placement considered for a job. Amounts are estimates, as decimal strings of micro-dollars. */
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
	/** The job needs a high-bandwidth interconnect, and the site does not declare whether this pool has one. Absent: known or not needed. */
	interconnectUnknown?: true;
	/**
	 * Time to copy the job's data to the machine, which is billed: 10th (`low`) and 90th percentile (`high`). Absent:
	 * nothing to copy.
	 */
	staging?: { expectedMs: number; lowMs: number; highMs: number };
	/**
	 * Part of the time until the start, ms: copying data from the owned cluster to the region's store, before billing starts.
	 * Absent: no copy.
	 */
	copyAheadMs?: number;
	/** Estimated cost from now to the end of the run, by part. `cash` is new spend (0 on owned capacity). */
	computeMicroUsd: string;
	egressMicroUsd: string;
	/**
	 * Disk cost. Absent: the cloud's disk price is unknown and no amount includes disks, or the capacity is owned and its cost
	 * includes everything.
	 */
	storageMicroUsd?: string;
	totalMicroUsd: string;
	cashMicroUsd: string;
	/** Upper bound: what the placement reserves from the budget. Never less than the expected cost with slow staging. */
	worstCaseMicroUsd: string;
	emissionsGrams: number | null;
	/** The ranking score: total + delay × weight + carbon × weight. */
	scoreMicroUsd: string;
	outcome: "chosen" | "passes" | "removed";
	/** The rule or fact that excluded it. ruleId is null for a fact (hardware, price, capacity). */
	removedBy: { ruleId: string | null; why: RemovalCode; facts: Reason["facts"] } | null;
}

/**
 * Sources of an expected speed, best first: measured for this job family, declared in the job file, learned from other
 * jobs of the team or company, or public measurements.
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
	"mount_missing",
	"hardware_gpus",
	"hardware_accelerator",
	"hardware_cpus",
	"hardware_memory",
	"hardware_gpu_memory",
	"hardware_bf16",
	"hardware_interconnect",
	"hardware_slice",
	"too_slow",
	"life_too_short",
	"data_too_slow",
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

/** Candidates and reasons for one job in one cycle. Stored with the decision; immutable. */
export interface Explanation {
	jobId: string;
	decidedAtMs: number;
	policy: { name: string; version: number };
	outcome: Outcome;
	reason: Reason;
	/** Result of the cloud spending rules for this job. */
	verdict: "allow" | "deny" | "needs_approval";
	/** Estimated start on the owned cluster. null when no owned pool can ever run the job. */
	homeStart: TimeRange | null;
	/** Candidates to show: owned capacity first, then offers by score; at most EXPLAINED_CANDIDATES. */
	candidates: Candidate[];
	/** All excluded candidates, grouped by cause, with the cheapest of each. */
	removed: { ruleId: string | null; why: RemovalCode; count: number; cheapest: Candidate }[];
	consideredCount: number;
}

export const EXPLAINED_CANDIDATES = 12;
