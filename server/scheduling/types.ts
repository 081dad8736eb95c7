import type { ApprovalAnswer, ApprovalRequest } from "#server/domain/approval.ts";
import type { DataRead, Offer, Placement, Pool } from "#server/domain/capacity.ts";
import type { Explanation, TimeRange } from "#server/domain/decision.ts";
import type { PoolInterconnect } from "#server/domain/interconnect.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { Policy } from "#server/domain/policy.ts";
import type { Reason } from "#server/domain/reasons.ts";
import type { MoveRequest, Provider } from "#server/domain/vocabulary.ts";
import type { EgressStep } from "./egress.ts";
import type { LinkSpeed } from "./link-speed.ts";
import type { ZoneRecord } from "./spot-guarantee/types.ts";
import type { ThroughputView } from "./throughput/types.ts";

/**
 * Terminology. **Snapshot**: all input of one cycle, read at one moment; plain data, immutable. **Plan**: the actions of the
 * cycle. `decide(snapshot)` is pure, synchronous and total: the same snapshot gives the same plan whatever the order of its
 * lists, and there is no other implementation of the rules.
 */
export interface Snapshot {
	nowMs: number;
	seed: number;
	policy: Policy;
	policyVersion: number;
	pools: PoolView[];
	offers: Offer[];
	/** No site is set up or enabled, so there is neither a pool nor an offer. Absent: at least one is. */
	noSites?: true;
	/** Jobs in state queued, or held by a budget or for an approval. */
	pending: PendingJob[];
	/** Live attempts. */
	running: RunningAttempt[];
	budgets: BudgetView[];
	/** Run times of past jobs, best key first if several fit. */
	durations: DurationStat[];
	/** A price older than this is stale and never chosen. */
	priceMaxAgeMs: number;
	/** Time from launch call to a running command, from recent launches (or the site's setting). */
	cloudStartMs: TimeSpread;
	/** Board power under load by accelerator, W, for carbon estimates of offers; a pool's own wattsPerGpu fills what is missing. */
	boardWatts?: Readonly<Record<string, number>>;
	/** Jobs of an owned site that Spillway did not submit: they hold slots, or are queued in the site's own order. */
	foreign?: readonly ForeignJob[];
	/** How offers have behaved, by offer id; the prior of LIMITS when unknown. */
	offerRecords?: ReadonlyMap<string, OfferRecord>;
	/** Factors applied to wait forecasts to make them right as often as promised. Absent: 1. */
	forecastScale?: ForecastScale;
	/**
	 * GPUs per hour requested recently by arriving jobs that fit home: determines the room to keep free before work is moved back.
	 */
	arrivingGpusPerHour?: number;
	/** Location and transfer speed of data sets. Absent: unknown, and no cost is counted. */
	data?: DataView;
	/** Names of the file systems that a site can mount, by site id. Absent: no site has any. */
	mounts?: ReadonlyMap<string, readonly string[]>;
	/** Grid intensity of the coming hours by `provider:region` (or pool id), gCO2e/kWh; index 0 is the hour of nowMs. */
	gridForecast?: ReadonlyMap<string, readonly number[]>;
	/** From a started machine to work that continues from its checkpoint, ms. Absent: LIMITS.restoreMs. */
	restoreMs?: number;
	/** Expected price of one instance in the coming hours by offer id, µ$/h; index 0 is the hour of nowMs. Absent: unknown. */
	priceForecast?: ReadonlyMap<string, readonly number[]>;
	/** Sources of the two forecasts, by the same keys. Absent: given from outside (a replay), and not reported. */
	foretoldBy?: ReadonlyMap<string, ForecastSource>;
	/** How fast jobs run on each accelerator. Absent: every cloud machine has speed 1. */
	throughput?: ThroughputView;
	/** Data that left the clouds in the current period, GiB, by id of the egress cap. Absent: none counted. */
	egressGiB?: ReadonlyMap<string, number>;
	/** Machines that prewarm rules keep without a job. Absent: none. */
	warm?: readonly WarmMachine[];
}

/** Source of a forecast's hours: the first `hours` as published, the others from the pattern of past days. */
export interface ForecastSource {
	source: string;
	published: { hours: number; atMs: number } | null;
	/** Number of full days it was learned from, and the end of the last one. */
	pattern: { days: number; untilMs: number } | null;
}

/** A machine that a prewarm rule keeps, without a job. */
export interface WarmMachine {
	instanceId: string;
	ruleId: string;
	offerId: string;
	/** The job that its offer was chosen for. The caps that apply to it count the machine. */
	spec: JobSpec;
	microUsdPerHour: bigint;
	/** It is stopped: its start takes this long, needs capacity and quota, and can be refused. Absent: it runs. */
	start?: TimeSpread;
	/** It can take a job until then at the latest, UTC ms; null: it cannot take one. */
	readyUntilMs: number | null;
	/** End of its life with a job, UTC ms. */
	expiresAtMs: number;
}

/** A job in an owned cluster's own queue. Its order there is the site's: `position` 0 starts next. */
export interface ForeignJob {
	id: string;
	poolId: string;
	nodes: number;
	gpusPerNode: number;
	/** null while it waits. */
	startedAtMs: number | null;
	/** Slots that it holds, if the site reports them. */
	slots: number[];
	position: number;
	/** The site's time limit for it, ms; null: unknown. */
	limitMs: number | null;
}

/** How one offer behaved, learned from our own launches; counts decay with LIMITS' half-lives up to `atMs`. */
export interface OfferRecord {
	atMs: number;
	/** Hours that our instances ran there, and how many of them were reclaimed. */
	instanceHours: number;
	interruptions: number;
	/** Launches refused for lack of capacity, and launches that came up. */
	refusals: number;
	launches: number;
	/** After a refusal: not requested again before this time, UTC ms. Absent or past: no back-off. */
	backoffUntilMs?: number;
	/** Spot only: how long it was observed to stay available and unavailable; null: not observed. Absent: not spot, or not learned. */
	zone?: ZoneRecord | null;
}

/** Factors on the forecast wait, by horizon: entry i applies to forecasts up to `untilMs`. */
export interface ForecastScale {
	steps: readonly { untilMs: number; p50: number; p90: number }[];
}

export interface DataView {
	/** Places that hold a copy of a data set, by its uri: pool ids or `provider:region`. */
	replicas: ReadonlyMap<string, readonly string[]>;
	/** Speed into a place (`provider:region`), MiB/s; null: unknown. */
	inboundMiBPerS: ReadonlyMap<string, number>;
	/** Learned speeds by link (link-speed.ts). Absent: `inboundMiBPerS` is exact. */
	links?: ReadonlyMap<string, LinkSpeed>;
	/** Speed of a link without data. Absent: that of the slowest known place. */
	unknownLink?: LinkSpeed;
	/** Size of a job's results sent home from the cloud, GiB. Absent: unknown, counted as 0. */
	outGiB?: number;
	/**
	 * Price of the next GiB out of a place (`provider:region`), given this month's egress so far. Absent: the offer's price for
	 * all.
	 */
	egressSteps?: ReadonlyMap<string, readonly EgressStep[]>;
	/**
	 * Price of data from one region to another of the same cloud, µ$/GiB, by link (link-speed.ts), or by the link to ANY_PLACE for regions
	 * without their own entry. Absent: unknown.
	 */
	regionTransfers?: ReadonlyMap<string, number>;
	/**
	 * The company's own stores, by place (`provider:region`, or an owned site's id), that can receive copies of sets before a job starts
	 * there; MiB/s into each, null: unknown.
	 */
	stores?: ReadonlyMap<string, number | null>;
	/** The copies in them, by place, then by the set's uri. */
	copiesAhead?: ReadonlyMap<string, ReadonlyMap<string, CopyAhead>>;
	/** Most expensive egress tier of places with listed copies, µ$/GiB, by `provider:region`. Absent: that of their offers. */
	egressPrices?: ReadonlyMap<string, number>;
	/** How long a copy in a store counts for later jobs, ms, by the set's uri. Absent: not at all. */
	freshMs?: ReadonlyMap<string, number>;
	/** Listed copies that the scheduler can read, to copy them into stores elsewhere: their places, by the set's uri. */
	sources?: ReadonlyMap<string, readonly string[]>;
	/** Sets that an owned site kept from earlier attempts, by the site's id: an attempt there fetches only changes. Absent: none. */
	cached?: ReadonlyMap<string, readonly string[]>;
	/** Speeds of earlier copies between two places, MiB/s, by link (link-speed.ts). */
	copySpeeds?: ReadonlyMap<string, number>;
	/** Only hosts of the owned sites can read `file:` sets. Absent: every machine can (a replay; a demo on a single host). */
	filesStayHome?: boolean;
}

/** A copy that Spillway makes, or has made, in a place's store. */
export interface CopyAhead {
	/** It holds what the set held then, UTC ms; null: it is not complete yet. */
	asOfMs: number | null;
	/** Start of the current or queued copy; null: none. */
	beganMs: number | null;
	/** After a failure: the earliest next attempt, UTC ms. */
	retryAtMs: number | null;
	/** The last attempt's error; null: none. */
	problem: string | null;
	/** Its egress is held in budgets. */
	held?: boolean;
}

/** State kept between cycles to make the next one cheap. A plan is the same with it and without it. */
export interface DecideMemo {
	readonly kept: Map<string, unknown>;
}

export interface PoolView extends Pool {
	healthy: boolean;
	/** UTC ms since which its site has not responded; absent while it does, or if unknown. */
	unhealthySinceMs?: number;
	multiNode: boolean;
	/** Free slot numbers, ascending. Slot s is on node floor(s / gpusPerNode). */
	freeSlots: number[];
	/** Absent: unknown and not checked. */
	cpusPerNode?: number;
	memoryGiBPerNode?: number;
	/** The type of its site; absent counts as `local`. */
	provider?: Provider;
	/** The network between its nodes, as declared. Absent: unknown, which excludes no job. */
	interconnect?: PoolInterconnect;
	/** Speed of a job here relative to the accelerator that its estimate assumes: 2 = half the time. Absent: 1. */
	speed?: number;
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
	/** Work already done and checkpointed, ms of run time on a machine of speed 1 that need not be repeated. */
	completedMs: number;
	/** The minimum wall-clock time for it, which counts towards the job's maximum. Absent: completedMs. */
	completedByClockMs?: number;
	/** Size of one of its checkpoints, GiB, which are sent home. Absent: unknown, counted as 0. */
	checkpointGiB?: number;
	/** Offers that failed this job recently, with the end of their back-off. */
	avoidOffers: { offerId: string; untilMs: number }[];
	/** Its launches refused for lack of capacity in the last two hours (REFUSALS_KEPT_MS), oldest first. Absent: none. */
	refused?: readonly RefusedLaunch[];
	/** Pools it may not use now, whatever is free there: their sites refused it, or it waits in another one's own queue. */
	notPools?: readonly string[];
	/** Amount up to which a person approved it. */
	approvedMicroUsd: bigint | null;
	/** People's answers to each rule that required approval; absent: approvedMicroUsd is the approval for every rule. */
	approvals?: readonly ApprovalAnswer[];
	/** Set when its last attempt ended in order to move: it is placed there before any other job may use the room. */
	movingTo?: MoveTarget | null;
	/** Set when running jobs were stopped for it: these slots are reserved for it. */
	room?: KeptRoom | null;
	/** Money reserved by its pipeline. Absent: it belongs to none, or none is left. */
	reservation?: Reservation;
	/** Its latest consecutive cloud attempts that ended early with nothing saved. Absent: fewer than FRUITLESS_MAX. */
	fruitless?: FruitlessAttempts;
}

/** The rest of a pipeline's reservation in each budget. It is part of the held sum of those budgets. */
export interface Reservation {
	pipelineId: string;
	leftMicroUsd: Readonly<Record<string, bigint>>;
}

export interface FruitlessAttempts {
	attempts: number;
	/** Time from placement to end, all of them together. */
	lostMs: number;
	/** Charged so far. */
	lostMicroUsd: bigint;
}

export interface RefusedLaunch {
	offerId: string;
	atMs: number;
}

/** Slots that running jobs leave, plus adjacent free slots, for one job; and the rule that evicted them. */
export interface KeptRoom {
	poolId: string;
	slots: number[];
	ruleId: string;
}

export interface RunningAttempt {
	jobId: string;
	attemptId: string;
	spec: JobSpec;
	placement: Placement;
	slots: number[];
	/** null while starting. An object kept between cycles may get its start time later. */
	startedAtMs: number | null;
	placedAtMs: number;
	/** PoolView.speed of the place where it runs. Absent: 1. */
	speed?: number;
	/** As for a pending job; excludes this attempt's own checkpoints. */
	completedMs: number;
	completedByClockMs?: number;
	stopping: boolean;
	/**
	 * Saved work of the job by now, ms, this attempt's checkpoints included. Absent: completedMs. On an object kept between cycles it grows
	 * only when the announced checkpoint has passed.
	 */
	savedMs?: number;
	/**
	 * When the next checkpoint will be complete, if the job makes them on a schedule; null: unknown. A reported one is valid until it has
	 * passed.
	 */
	nextCheckpointAtMs?: number | null;
	/** As for a pending job. */
	checkpointGiB?: number;
	/** It represents a job of a cluster's own queue: home is this pool alone. Absent: any pool. */
	homePoolId?: string;
	/** As for a pending job. */
	refused?: readonly RefusedLaunch[];
	/** Where it continues once it has stopped: the slots or the offer are reserved for it. */
	movingTo?: MoveTarget | null;
	/** Where a person wants it to continue, and their name. */
	moveRequest?: MoveRequest | null;
	/** The offer that its instance was launched from. */
	offerId?: string | null;
	/**
	 * Price in effect, all its instances together; null or absent: unknown (or at home). On an object kept between cycles it changes only
	 * with the offers of the snapshot.
	 */
	microUsdPerHour?: bigint | null;
	/** End of its instances' life. */
	expiresAtMs?: number | null;
	/** Reserved egress that it has not sent yet, GiB. Absent: none. */
	reservedEgressGiB?: number;
	/** GPU utilization over the window of the policy's rule, percent; absent: not measured. */
	gpuUtilisation?: { percent: number; overMs: number };
	/** UTC ms since which its instance has been idle; null: it is busy. */
	idleSinceMs?: number | null;
}

/** Where a running job will continue. */
export type MoveTarget = { kind: "home"; poolId: string; slots: number[] } | { kind: "cloud"; offerId: string };

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
	/** Job name with trailing numbers cut (`fraud-v7` → `fraud-v`), or "*" for the whole team (team "*": for all teams). */
	namePattern: string;
	samples: number;
	p50Ms: number;
	p90Ms: number;
	/** If set: only runs of this user (JobSpec.user) in the team. Absent: of everyone. */
	user?: string;
	/** If set: only runs with this many GPUs (all nodes; rounded up to a power of two). Absent: with any number. */
	gpus?: number;
	/** Different name patterns among the samples, at most duration-book's KINDS_MAX. Absent: as many as samples. */
	kinds?: number;
	/** Run times at forecast/quantiles POINT_SHARES, ms, ascending. Absent: only p50Ms and p90Ms are known. */
	points?: readonly number[];
	/** Run time ÷ estimate at the same shares, of those runs that had an estimate. */
	estimateRatio?: { samples: number; points: readonly number[] };
}

export interface TimeSpread {
	p50Ms: number;
	p90Ms: number;
}

export interface Plan {
	/** In the order in which they should be applied. */
	actions: Action[];
	/** One for each job with an action or a changed reason code, and for all jobs in DecideOptions.explain. */
	explanations: Explanation[];
	/** For every pending job that home can run. */
	forecasts: Map<string, TimeRange>;
	/** The same from the replay, before forecastScale; empty without one. */
	replayed?: Map<string, TimeRange>;
	/** For every pending job that stays: the reason, for lists. */
	waiting: Map<string, Reason>;
	/** The approval request of every job held for approval. Absent: none. */
	asks?: Map<string, ApprovalRequest>;
	/** Data that jobs wait for, by job, to be copied into the store of that place. Absent: none. */
	copyAhead?: Map<string, CopyPlan>;
}

/** Data to be copied into a place's store before a job starts there. */
export interface CopyPlan {
	place: string;
	uris: readonly string[];
	/** By set: the place to read it from. */
	from: Readonly<Record<string, string>>;
}

export type Action =
	| { kind: "place_home"; jobId: string; attemptNo: number; poolId: string; slots: number[]; reason: Reason }
	| {
			kind: "launch";
			jobId: string;
			attemptNo: number;
			offer: Offer;
			/** Machines that start together or not at all: the job's nodes. */
			instances: number;
			/** Median speed of the job there, relative to a machine of speed 1. Absent: 1. */
			speed?: number;
			/** Longest life of the instance; the hold covers all of it, for all instances. */
			lifeMs: number;
			holdMicroUsd: bigint;
			budgetIds: string[];
			/** Worst-case egress, GiB. Only if a cap on egress applies. */
			egressGiB?: number;
			/** Data sets that each machine reads from another cloud. Absent: none. */
			reads?: readonly DataRead[];
			/** It takes this machine, which is kept warm, instead of launching one. Absent: it launches. */
			warm?: WarmMachine;
			reason: Reason;
	  }
	| { kind: "hold"; jobId: string; reason: Reason }
	| { kind: "release"; jobId: string; reason: Reason }
	| { kind: "fail"; jobId: string; reason: Reason }
	/** A running attempt exceeded a limit: the job's maximum duration, idleness, utilization, a budget that terminates. */
	| { kind: "stop"; jobId: string; attemptId: string; reason: Reason }
	/** A job at home makes room for a higher claim: it saves its progress, ends `evicted` and waits again. */
	| { kind: "evict"; jobId: string; attemptId: string; forJobId: string; reason: Reason }
	/**
	 * A running job continues elsewhere: home, cheaper capacity, or capacity that its deadline requires. It stops at `atMs` (its next
	 * checkpoint, or now), ends `evicted`, and is placed at `to` by the cycle that sees it pending. Until then `to` is reserved for it.
	 */
	| { kind: "move"; jobId: string; attemptId: string; atMs: number; to: MoveTarget; holdMicroUsd: bigint; reason: Reason };

export interface DecideOptions {
	/** Jobs that are always explained in full (quotes, the Job page). */
	explain?: ReadonlySet<string>;
	/**
	 * Pending jobs that are only quoted: each is decided at its place in the order as if it were the only addition, is explained, and takes
	 * nothing. The plan covers no jobs after the last quoted one, and moves no running work.
	 */
	asked?: ReadonlySet<string>;
	/** Kept by a caller that runs many cycles. */
	memo?: DecideMemo;
	/** Leave explanations out (long replays); forecasts and reasons stay. */
	brief?: boolean;
	/**
	 * Return only the actions (long replays). Skips the late replay of the queue, which affects no decision: a held or released
	 * job's reason then names the P50 of its start instead of the P90.
	 */
	actionsOnly?: boolean;
}

export type Decide = (snapshot: Snapshot, options?: DecideOptions) => Plan;
