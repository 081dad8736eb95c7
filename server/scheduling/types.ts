import type { Offer, Placement, Pool } from "#server/domain/capacity.ts";
import type { Explanation, TimeRange } from "#server/domain/decision.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { Policy } from "#server/domain/policy.ts";
import type { Reason } from "#server/domain/reasons.ts";
import type { Provider } from "#server/domain/vocabulary.ts";

/**
 * Terminology. **Snapshot**: everything one cycle may know, read at one moment; plain data, nothing in it changes.
 * **Plan**: what the cycle wants done. `decide(snapshot)` is pure, synchronous and total: the same snapshot gives the
 * same plan whatever the order of its lists, and there is no other implementation of the rules.
 */
export interface Snapshot {
	nowMs: number;
	seed: number;
	policy: Policy;
	policyVersion: number;
	pools: PoolView[];
	offers: Offer[];
	/** Jobs in state queued, or held by a budget. */
	pending: PendingJob[];
	/** Live attempts. */
	running: RunningAttempt[];
	budgets: BudgetView[];
	/** What past runs took, best key first when several fit. */
	durations: DurationStat[];
	/** A price older than this is stale and never chosen. */
	priceMaxAgeMs: number;
	/** Time from launch call to a running command, from recent launches (or the site's setting). */
	cloudStartMs: TimeSpread;
	/** Board power under load by accelerator, W, for carbon estimates of offers; a pool's own wattsPerGpu fills what is missing. */
	boardWatts?: Readonly<Record<string, number>>;
}

export interface PoolView extends Pool {
	healthy: boolean;
	multiNode: boolean;
	/** Slot numbers that are free to be given now, ascending. Slot s lies on node floor(s / gpusPerNode). */
	freeSlots: number[];
	/** Absent: not known, and not checked. */
	cpusPerNode?: number;
	memoryGiBPerNode?: number;
	/** The kind of its site; absent counts as `local`. */
	provider?: Provider;
}

export interface PendingJob {
	jobId: string;
	spec: JobSpec;
	state: "queued" | "held";
	submittedAtMs: number;
	/** When it last became pending (differs from submittedAtMs after an interruption). */
	pendingSinceMs: number;
	/** Number that the next attempt will have. */
	nextAttemptNo: number;
	/** Work already done and checkpointed, ms of run time that need not be repeated. */
	completedMs: number;
	/** Offers that failed this job lately, with the time until which they are left alone. */
	avoidOffers: { offerId: string; untilMs: number }[];
	/** A person said yes: up to this amount. */
	approvedMicroUsd: bigint | null;
}

export interface RunningAttempt {
	jobId: string;
	attemptId: string;
	spec: JobSpec;
	placement: Placement;
	slots: number[];
	/** null while starting. */
	startedAtMs: number | null;
	placedAtMs: number;
	completedMs: number;
	stopping: boolean;
}

/** A budget's row for the current period, holds of all live instances included. */
export interface BudgetView {
	id: string;
	scope: string;
	capMicroUsd: bigint;
	postedMicroUsd: bigint;
	heldMicroUsd: bigint;
}

export interface DurationStat {
	team: string;
	/** Job name with trailing numbers cut (`fraud-v7` → `fraud-v`), or "*" for the whole team. */
	namePattern: string;
	samples: number;
	p50Ms: number;
	p90Ms: number;
}

export interface TimeSpread {
	p50Ms: number;
	p90Ms: number;
}

export interface Plan {
	/** In the order in which they should be applied. */
	actions: Action[];
	/** One for each job that gets an action or whose reason changed kind; all jobs asked for in DecideOptions.explain. */
	explanations: Explanation[];
	/** For every pending job that home can run. */
	forecasts: Map<string, TimeRange>;
	/** For every pending job that stays: why, for lists. */
	waiting: Map<string, Reason>;
}

export type Action =
	| { kind: "place_home"; jobId: string; attemptNo: number; poolId: string; slots: number[]; reason: Reason }
	| {
			kind: "launch";
			jobId: string;
			attemptNo: number;
			offer: Offer;
			/** Longest life of the instance; the hold covers all of it. */
			lifeMs: number;
			holdMicroUsd: bigint;
			budgetIds: string[];
			reason: Reason;
	  }
	| { kind: "hold"; jobId: string; reason: Reason }
	| { kind: "release"; jobId: string; reason: Reason }
	| { kind: "fail"; jobId: string; reason: Reason }
	/** A running attempt went past its job's maximum duration. */
	| { kind: "stop"; jobId: string; attemptId: string; reason: Reason };

export interface DecideOptions {
	/** Jobs whose full explanation is wanted whatever happens to them (quotes, the Job page). */
	explain?: ReadonlySet<string>;
}

export type Decide = (snapshot: Snapshot, options?: DecideOptions) => Plan;
