import type { Offer, Pool } from "#server/domain/capacity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { Policy } from "#server/domain/policy.ts";
import type { Scaling } from "#server/domain/scaling.ts";
import type { Provider } from "#server/domain/vocabulary.ts";
import type { ThroughputPrior } from "#server/scheduling/throughput/types.ts";
import type { Snapshot, TimeSpread } from "#server/scheduling/types.ts";
import type { GridForecast } from "./grid-ahead.ts";
import type { RecordedGrid } from "./grid-record.ts";

/**
 * Terminology. **Trace**: jobs as they were recorded. **Scenario**: the sites and the outside that a trace is replayed
 * against, the same for every strategy. **Strategy**: who decides: Spillway's core under a policy, or one of the rules of
 * thumb that it is compared with. Times of a trace are ms from its start; times of a replay are UTC ms.
 */

/** One recorded job. */
export interface TraceJob {
	id: string;
	submitMs: number;
	/** Run time on the recorded accelerator, without queueing. */
	durationMs: number;
	/** Whole GPUs, all nodes together; a recorded fraction was rounded up. */
	gpus: number;
	team: string;
	user: string | null;
	/** Models that will do; empty: any. */
	accelerators: string[];
	/** From its submission; null: none. */
	deadlineMs: number | null;
	deadlineKind: "strict" | "soft" | "best" | null;
	status: string | null;
	/** What its user said it would take at most (sacct's Timelimit); null: not said. */
	limitMs: number | null;
	/** Recorded time from submission to start, ms. Absent: not recorded. No replay reads it. */
	waitMs?: number;
	/** Run time by number of GPUs, where the trace has it. */
	scaling?: Scaling;
	/** From our job records. Absent: a job is made up from the fields above. */
	recorded?: RecordedJob;
}

/** What our own records contain about a job besides its times. Its spec overrides the fields of TraceJob with the same content. */
export interface RecordedJob {
	/** As it was submitted, so that conditions see what they saw live. */
	spec: JobSpec;
	approvedMicroUsd: bigint | null;
	/** What it sends home when it runs in a cloud, GiB. */
	dataOutGiB: number;
	/** A person withdrew it before it ever ran: ms from the trace's start. */
	withdrawnMs: number | null;
}

export interface ReplayPool extends Pool {
	/** How fast jobs run here beside the trace's recorded times: 2 = half the time. */
	speed: number;
	/** Slots that cannot be used. Absent: none. */
	unavailableSlots?: readonly number[];
	/** The kind of its site, and whether a job may take several of its nodes. Absent: slurm, and it may. */
	provider?: Provider;
	multiNode?: boolean;
}

/** When machines of an offer can be had, from a recorded availability trace; it repeats when the replay is longer. */
export interface Availability {
	traceId: string;
	/** Ascending, from 0; entry i holds from startsMs[i] to the next one, the last until lengthMs. */
	startsMs: readonly number[];
	available: readonly boolean[];
	lengthMs: number;
	/** Where in the trace the replay begins. */
	offsetMs: number;
}

export interface ReplayScenario {
	name: string;
	seed: number;
	/** The moment of the trace's 0. */
	startMs: number;
	pools: ReplayPool[];
	offers: Offer[];
	/** By offer id; an offer without one can always be had. A spot instance is taken when its offer ceases to be available. */
	availability: ReadonlyMap<string, Availability>;
	/** Price changes by offer id, ascending in time; absent: the offer's price throughout. */
	prices: ReadonlyMap<string, readonly { atMs: number; microUsdPerHour: bigint }[]>;
	/** From launch to a running command (ms); a refused launch answers after refusalMs. */
	bootMs: number;
	refusalMs: number;
	/** A running job saves its work so often (infinite: never), and needs so long to go on from it. */
	checkpointEveryMs: number;
	restoreMs: number;
	/** From asking an attempt to stop to free slots, ms. Absent: 30 s. */
	stopMs?: number;
	/** gCO2e/kWh by hour of the replay, repeating, by `provider:region` or pool id. Absent: the offer's or pool's average. */
	grid: ReadonlyMap<string, readonly number[]>;
	/**
	 * What the core is shown of the coming hours of `grid`; `hours`: a recorded forecast by place, from the replay's start on. Absent:
	 * nothing.
	 */
	gridForecast?: { kind: GridForecast; hours?: ReadonlyMap<string, readonly number[]> };
	/**
	 * Hours of grids on record, in place of `grid`: what was emitted is by them, and the core foretells the coming ones from those
	 * before.
	 */
	gridOnRecord?: RecordedGrid;
	boardWatts: Readonly<Record<string, number>>;
	/** Share of on-demand launches refused for want of capacity, drawn by seed. */
	onDemandRefusalShare: number;
	/**
	 * Size of a job's newest checkpoint, and what a GiB of it costs when an attempt starts in another region than the one before it.
	 * Absent: checkpoints are everywhere, and moving them is free.
	 */
	checkpoints?: { gib: number; microUsdPerGiBMoved: bigint };
	/** Data sets that jobs read, and how fast they can be had. Absent: whatever jobs read is there. */
	data?: ReplayDataSets;
	/** What every job brings home from a cloud when it is done, GiB; 0: nothing. */
	dataOutGiB: number;
	/** Times in which launches were refused for want of capacity, UTC ms, by offer id. Absent: none. */
	refusedDuring?: ReadonlyMap<string, readonly { fromMs: number; toMs: number }[]>;
	/** Launch requests that a cloud answers in each region and minute; more are throttled. Absent: no limit. */
	requestsPerMinute?: number;
	/** How often per hour an instance is reclaimed, by offer id; the time is drawn by seed, job and attempt. Absent: never. */
	interruptionsPerHour?: ReadonlyMap<string, number>;
	/** How fast kinds of jobs run on each accelerator. Absent: at the pool's speed, and at 1 in clouds. */
	throughput?: ReplayThroughput;
	/** Jobs that scale ask for the size that is cheapest at these prices. Absent: for the recorded one. */
	scaling?: { usdPerGpuHour: number; usdPerHour: number };
	/** Names of the file systems that a site can mount, by site id. Absent: none. */
	mounts?: Snapshot["mounts"];
	/** What the core expects from launch to a running command. Absent: bootMs. */
	cloudStartMs?: TimeSpread;
}

export interface ReplayDataSets {
	sets: readonly ReplayDataSet[];
	/** Speed of copying into a place, MiB/s, by `provider:region`. */
	inboundMiBPerS: ReadonlyMap<string, number>;
	/**
	 * Stores by `provider:region`, into which sets with a copy at home can be copied before a launch; MiB/s into each, null: as into
	 * the place. Absent: none.
	 */
	stores?: ReadonlyMap<string, number | null>;
}

/** Each attempt in a cloud copies it to where there is no copy yet, before its command starts. At home it is at hand. */
export interface ReplayDataSet {
	uri: string;
	sizeGiB: number;
	/** Places that hold it permanently: pool ids or `provider:region`. */
	copies: readonly string[];
	/** Areas that it may be in (scheduling/residency.ts); empty: anywhere. */
	residency: readonly string[];
	/** Patterns on the team: the jobs that read it. */
	teams: readonly string[];
}

/** A strategy by its name, as reports call it. `policy` is set for Spillway's own core. */
export interface StrategyChoice {
	name:
		| "owned_fifo"
		| "owned_backfill"
		| "cloud_on_demand"
		| "overflow_on_demand"
		| "eager_spot"
		| "uniform_progress"
		| "uniform_progress_owned"
		| "pull"
		| "consolidate"
		| "spillway"
		| (string & {});
	policy: Policy | null;
}

/** What a replay of one trace under one strategy came to. Times in seconds, money in US dollars, both rounded to 3 places. */
export interface ReplayReport {
	strategy: string;
	jobs: number;
	jobsDone: number;
	/** From submission to the first start of its command. */
	meanWaitS: number;
	p50WaitS: number;
	p95WaitS: number;
	/** From submission to the end of the command that finished it. */
	meanTimeToModelS: number;
	p50TimeToModelS: number;
	p95TimeToModelS: number;
	/** GPU time of commands ÷ GPU time there was from the first submission to the last end. */
	ownedUtilisation: number;
	cloudGpuHours: number;
	cloudGpuHoursByCapacityType: Record<string, number>;
	cloudCostUsd: number;
	/** The same, exactly; a decimal string. */
	cloudCostMicroUsd: string;
	/** By kind: compute, egress. */
	costByKindUsd: Record<string, number>;
	egressGiB: number;
	/** Of the GPU time with known power and grid intensity; null when that is none of what was used. */
	emissionsKg: number | null;
	/** GPU-hours without these figures. */
	emissionsUnknownGpuHours: number;
	interruptions: number;
	moves: number;
	evictions: number;
	/** Launches that were refused for want of capacity. */
	refusals: number;
	/** Launches that a provider's API throttled. Absent: the scenario limits no requests. */
	throttled?: number;
	/** Work that was done and had to be done again, and boots and restores, GPU-hours. */
	lostGpuHours: number;
	strictMisses: number;
	/** Of those, jobs that their own machine, home or cloud, could have finished in time. */
	avoidableStrictMisses: number;
	softMisses: number;
	overshootUsd: number;
	decisions: number;
	decisionsPerSecond: number;
	replaySeconds: number;
	/** By day, team and class, for what is drawn (series.ts). */
	series?: ReplaySeries;
}

export interface ReplaySeries {
	/** Every UTC day from the replay's first to its last. */
	days: ReplayDay[];
	teams: GroupWaits[];
	classes: GroupWaits[];
}

/** Averages over the whole day, so that GPUs × 24 are GPU-hours. */
export interface ReplayDay {
	/** YYYY-MM-DD */
	date: string;
	/** If every job had started at its submission. */
	demandGpus: number;
	/** Held by jobs at home. */
	ownedGpus: number;
	/** Rented, from launch to end. */
	cloudGpusByCapacityType: Record<string, number>;
	/** Egress included. */
	cloudCostUsdByCapacityType: Record<string, number>;
}

/** Waits to the first start, and times to the end, of the jobs of one team or class. */
export interface GroupWaits {
	name: string;
	jobs: number;
	/** The times are theirs. */
	jobsDone: number;
	meanWaitS: number;
	p50WaitS: number;
	p95WaitS: number;
	meanTimeToModelS: number;
}

/** How fast kinds of jobs really run on each accelerator of a replay. The core sees none of it before a job ran there. */
export interface ReplayThroughput {
	/** Where run times were recorded, for jobs that name no accelerator (trace column gpu_type). Its speed is 1. */
	recordedOn: string;
	/** The first that matches counts: patterns on team and user, and speeds in any unit; 0: it cannot run there. */
	families: readonly { teams: readonly string[]; users: readonly string[]; speeds: Readonly<Record<string, number>> }[];
	/** What the core knows beforehand; also the true ratios of accelerators that a family does not name. */
	prior: ThroughputPrior;
}
