import type { Offer } from "#server/domain/capacity.ts";
import type { RemovalCode } from "#server/domain/decision.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { BudgetRule, CapRule, MoveKind, Policy, PolicyProblem } from "#server/domain/policy.ts";
import type { Reason } from "#server/domain/reasons.ts";
import type { CapacityType, Provider, Role, WorkloadClass } from "#server/domain/vocabulary.ts";

/** Public interface of server/policy: text → Policy, and (Policy, facts) → verdicts. Pure. */

/** Measurements and facts that only some installations have; parsing a policy reports the rules that need them. */
export const MEASURES = ["idle", "gpu_utilisation", "grid_forecast", "price_forecast", "stopped_machines", "stopped_spot"] as const;
export type Measure = (typeof MEASURES)[number];

/** Facts about the installation, all optional. A missing fact is not checked. */
export interface ParsePolicyOptions {
	/** The existing sites; any other site in a rule is an error. */
	siteIds?: readonly string[];
	/** The existing teams; any other team name is an error. */
	teams?: readonly string[];
	/** Every instance type available now or later; a family without any of them is an error. */
	instanceTypes?: readonly Pick<Place, "provider" | "instanceType">[];
	/** All available places; rules that leave none of them cause a warning. */
	places?: readonly Place[];
	/** Available measurements; absent: none. */
	measures?: readonly Measure[];
}

/** parse-policy.ts. `policy` is null when any problem is an error. */
export type ParsePolicy = (source: string, options?: ParsePolicyOptions) => { policy: Policy | null; problems: PolicyProblem[] };

/** All verdicts of the rules for one job before any place is considered. */
export interface JobVerdict {
	/** Burst rules with a condition that holds, in order; empty: this job never leaves home. */
	burst: {
		ruleId: string;
		forecastWaitMs: number | null;
		waitedMs: number | null;
		deadlineSlackMs: number | null;
		queueLength: number | null;
		waitingMicroUsdPerGpuHour?: bigint;
		always: boolean;
		costAtMostMicroUsd: bigint | null;
		dataAtMostGiB: number | null;
	}[];
	/** Value of an hour of its delay, µ$: from the first burst rule with a waiting budget. Absent: the policy's weight. */
	delayMicroUsdPerHour?: number;
	/** Classes of running jobs at home that it may preempt. */
	preempt: { ruleId: string; classes: WorkloadClass[]; longerBy: number | null }[];
	/** Where it may be moved while running. */
	moves: { ruleId: string; to: MoveKind[]; savingMicroUsd: bigint }[];
	/** Hours by which its start may be delayed. */
	defers: { ruleId: string; to: "cheaper" | "greener"; withinMs: number; at?: "cloud" | "owned"; percentPerHour?: number }[];
	/** Place filters with a condition that holds, in the order of the policy. */
	filters: PlaceFilter[];
	/** The tightest of each limit, with the rule that set it. */
	limits: {
		instanceMs: { ruleId: string; value: number } | null;
		idleMs: { ruleId: string; value: number } | null;
		gpuUtilisationBelow: { ruleId: string; percent: number; forMs: number } | null;
	};
	/** Prewarm rules that keep machines for such jobs. Absent: none. */
	prewarm?: string[];
	/** Caps that apply to the job. */
	caps: CapRule[];
	/** Budgets that apply to the job. */
	budgets: BudgetRule[];
	/**
	 * Rules and budgets with a condition that could not be evaluated for this job (for example, a label that it does not
	 * have). The strict side was taken: filters, limits and budgets apply, bursts do not. judgeJob always sets it.
	 */
	unanswered?: { ruleId: string; error: string }[];
}

/** `conditionError`: why a rule's condition could not be evaluated, if that is why its filter applies. */
export type PlaceFilter = { ruleId: string; conditionError?: string } & (
	| { kind: "deny" | "allow"; sites: string[]; regions: string[]; instanceFamilies: string[]; capacityTypes: CapacityType[] }
	| { kind: "require_capacity_type"; capacityType: CapacityType }
);

/** A place as filters see it: a cloud offer, or a pool at home (region and instanceType null). */
export type Place = { siteId: string; provider: Provider; region: string | null; instanceType: string | null; capacityType: CapacityType };

/** judge-job.ts. Cost: one evaluation per rule and budget. */
export type JudgeJob = (policy: Policy, spec: JobSpec) => JobVerdict;

/** judge-place.ts: the first rule that excludes the place, or null. */
export type JudgePlace = (
	verdict: Pick<JobVerdict, "filters">,
	place: Place,
) => { ruleId: string; why: RemovalCode; facts: Reason["facts"] } | null;

/** judge-quote.ts: the first approval rule that requires approval at the placement's cost. */
export type JudgeQuote = (
	policy: Policy,
	spec: JobSpec,
	quote: { costUsd: number; hourlyUsd: number; offer: Offer | null },
	/** Approval rules that a person has already approved. */
	granted?: (ruleId: string) => boolean,
) => { ruleId: string; role: Role } | null;
