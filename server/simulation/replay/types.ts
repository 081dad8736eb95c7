import type { Offer, Pool } from "#server/domain/capacity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { RunFacts } from "#server/domain/pipeline/advance.ts";
import type { PipelineSpec } from "#server/domain/pipeline/pipeline.ts";
import type { Policy } from "#server/domain/policy.ts";
import type { Scaling } from "#server/domain/scaling.ts";
import type { PipelineState } from "#server/domain/states.ts";
import type { Provider } from "#server/domain/vocabulary.ts";
import type { ThroughputPrior } from "#server/scheduling/throughput/types.ts";
import type { Snapshot, TimeSpread } from "#server/scheduling/types.ts";
import type { GridForecast } from "./grid-ahead.ts";
import type { RecordedGrid } from "./grid-record.ts";

/**
 * Terminology. **Trace**: jobs as recorded. **Scenario**: the sites and external conditions that a trace is replayed against, the same for
 * every strategy. **Strategy**: what decides, either Spillway's core under a policy or one of the rules of thumb it is compared with. Times
 * of a trace are ms from its start; times of a replay are UTC ms.
 */

/** One recorded job. */
export interface TraceJob {
	id: string;
	submitMs: number;
	/** Run time on the recorded accelerator, without queueing. */
	durationMs: number;
	/** Whole GPUs on all nodes together; recorded fractions are rounded up. */
	gpus: number;
	team: string;
	user: string | null;
	/** Acceptable models; empty: any. */
	accelerators: string[];
	/** Time from its submission; null: none. */
	deadlineMs: number | null;
	deadlineKind: "strict" | "soft" | "best" | null;
	status: string | null;
	/** The maximum run time that its user stated (sacct's Timelimit); null: none. */
	limitMs: number | null;
	/** Recorded time from submission to start, ms. Absent: not recorded. Replays do not use it. */
	waitMs?: number;
	/** Run time by number of GPUs, if the trace has it. */
	scaling?: Scaling;
	/** From our job records. Absent: the job is derived from the fields above. */
	recorded?: RecordedJob;
	/** The pipeline that it is a run of. Its deadline is then its step's share, and missing it is not counted. */
	pipelineId?: string;
}

/** A pipeline that a replay submits. Its runs become jobs when what they need has ended. */
export interface ReplayPipeline {
	id: string;
	/** From the replay's start, ms. */
	submitMs: number;
	/** Deadline in UTC ms. */
	spec: PipelineSpec;
	/** By name of the run: its time on a machine of speed 1, ms. */
	runMs: ReadonlyMap<string, number>;
	/** Size of each result that one run writes, GiB, by `step.output`. Absent: moving it takes no time and costs nothing. */
	resultGiB: ReadonlyMap<string, number>;
	/** By name of the run: exit codes of its tries in order; the last one is that of all further tries. Absent: 0. */
	exitCodes: ReadonlyMap<string, readonly number[]>;
	/** By name of the run: values of the metric that its sweep stops by, at steps 1, 2, … in equal parts of its work. Absent: none. */
	metric: ReadonlyMap<string, readonly number[]>;
	/** By name of the run: last value of each metric, which conditions see. */
	metrics: ReadonlyMap<string, RunFacts["metrics"]>;
}

/** What our own records contain about a job besides its times. Its spec takes precedence over the TraceJob fields with the same content. */
export interface RecordedJob {
	/** As submitted, so that conditions see what they saw live. */
	spec: JobSpec;
	approvedMicroUsd: bigint | null;
	/** Data it sends home when it runs in a cloud, GiB. */
	dataOutGiB: number;
	/** When a person cancelled it before it ever ran: ms from the trace's start. */
	withdrawnMs: number | null;
}

export interface ReplayPool extends Pool {
	/** Speed of jobs here relative to the trace's recorded times: 2 = half the time. */
	speed: number;
	/** Unusable slots. Absent: none. */
	unavailableSlots?: readonly number[];
	/** The site's type, and whether a job may use several of its nodes. Absent: slurm, and it may. */
	provider?: Provider;
	multiNode?: boolean;
}

/** When capacity of an offer is available, from a recorded trace; it repeats if the replay is longer. */
export interface Availability {
	traceId: string;
	/** Ascending, from 0; entry i holds from startsMs[i] to the next one, the last until lengthMs. */
	startsMs: readonly number[];
	available: readonly boolean[];
	lengthMs: number;
	/** Position in the trace at which the replay begins. */
	offsetMs: number;
}

export interface ReplayScenario {
	name: string;
	seed: number;
	/** UTC ms of the trace's 0. */
	startMs: number;
	pools: ReplayPool[];
	offers: Offer[];
	/** By offer id; an offer without an entry is always available. A spot instance is reclaimed when its offer becomes unavailable. */
	availability: ReadonlyMap<string, Availability>;
	/** Price changes by offer id, ascending in time; absent: the offer's price throughout. */
	prices: ReadonlyMap<string, readonly { atMs: number; microUsdPerHour: bigint }[]>;
	/** From launch to a running command (ms). A refused launch is answered after refusalMs. */
	bootMs: number;
	refusalMs: number;
	/** IANA time zone of a policy's hours. Absent: UTC. */
	timeZone?: string;
	/** From the start of a stopped machine to a running command. Absent: 90 s. */
	startFromStoppedMs?: number;
	/** How often a running job saves its work (infinite: never), and how long a restore takes. */
	checkpointEveryMs: number;
	restoreMs: number;
	/** From the request to stop until the slots are free, ms. Absent: 30 s. */
	stopMs?: number;
	/** gCO2e/kWh by hour of the replay, repeating, by `provider:region` or pool id. Absent: the offer's or pool's average. */
	grid: ReadonlyMap<string, readonly number[]>;
	/**
	 * Forecast of the coming hours of `grid` that the core sees; `hours`: a recorded forecast by place, from the replay's start on. Absent:
	 * none.
	 */
	gridForecast?: { kind: GridForecast; hours?: ReadonlyMap<string, readonly number[]> };
	/** Recorded grid hours that replace `grid`: emissions use them, and the core forecasts coming hours from past ones. */
	gridOnRecord?: RecordedGrid;
	boardWatts: Readonly<Record<string, number>>;
	/** Share of on-demand launches refused for lack of capacity, drawn by seed. */
	onDemandRefusalShare: number;
	/**
	 * Size of a job's newest checkpoint, and the cost of a GiB of it when an attempt starts in another region than the one before. Absent:
	 * checkpoints are everywhere, and moving them is free.
	 */
	checkpoints?: { gib: number; microUsdPerGiBMoved: bigint };
	/** Data sets that jobs read, and how fast they can be copied. Absent: all data is available everywhere. */
	data?: ReplayDataSets;
	/** Data that every finished job sends home from a cloud, GiB; 0: none. */
	dataOutGiB: number;
	/** Periods in which launches were refused for lack of capacity, UTC ms, by offer id. Absent: none. */
	refusedDuring?: ReadonlyMap<string, readonly { fromMs: number; toMs: number }[]>;
	/** Launch requests that a cloud accepts per region and minute; further ones are throttled. Absent: no limit. */
	requestsPerMinute?: number;
	/** How often per hour an instance is reclaimed, by offer id; the time is drawn by seed, job and attempt. Absent: never. */
	interruptionsPerHour?: ReadonlyMap<string, number>;
	/** Speeds of job families on each accelerator. Absent: the pool's speed, and 1 in clouds. */
	throughput?: ReplayThroughput;
	/** Scalable jobs request the size that is cheapest at these prices. Absent: the recorded size. */
	scaling?: { usdPerGpuHour: number; usdPerHour: number };
	/** Names of the file systems that a site can mount, by site id. Absent: none. */
	mounts?: Snapshot["mounts"];
	/** Time from launch to a running command that the core expects. Absent: bootMs. */
	cloudStartMs?: TimeSpread;
	/** Submitted in addition to the trace's jobs. Absent: none. */
	pipelines?: readonly ReplayPipeline[];
}

export interface ReplayDataSets {
	sets: readonly ReplayDataSet[];
	/** Speed of copying into a place, MiB/s, by `provider:region`. */
	inboundMiBPerS: ReadonlyMap<string, number>;
	/**
	 * Stores by `provider:region`, into which sets with a copy at home can be copied before a launch. MiB/s into each, null: the same as into
	 * the place. Absent: no stores.
	 */
	stores?: ReadonlyMap<string, number | null>;
}

/** Each cloud attempt copies it to a place without a copy before its command starts. At home it is always available. */
export interface ReplayDataSet {
	uri: string;
	sizeGiB: number;
	/** Places that hold it permanently: pool ids or `provider:region`. */
	copies: readonly string[];
	/** Areas it may be stored in (scheduling/residency.ts); empty: anywhere. */
	residency: readonly string[];
	/** Patterns on the team: the jobs that read it. */
	teams: readonly string[];
}

/** A strategy by the name used in reports. `policy` is set for Spillway's own core. */
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

/** Figures about jobs. */
export interface JobReport {
	jobs: number;
	jobsDone: number;
	/** From submission to the first start of its command. */
	meanWaitS: number;
	p50WaitS: number;
	p95WaitS: number;
	/** Finished jobs with their first start in a cloud, and their waits. */
	burstJobs: number;
	meanBurstWaitS: number;
	p95BurstWaitS: number;
	/** From submission to the end of the command that finished it. */
	meanTimeToModelS: number;
	p50TimeToModelS: number;
	p95TimeToModelS: number;
	strictMisses: number;
	/** Strict misses that an ideal machine, at home or in the cloud, could have avoided. */
	avoidableStrictMisses: number;
	softMisses: number;
}

/** Result of replaying one trace under one strategy. Times in seconds, money in US dollars, both rounded to 3 places. */
export interface ReplayReport extends JobReport {
	strategy: string;
	/** GPU time of commands ÷ available GPU time from the first submission to the last end. */
	ownedUtilisation: number;
	cloudGpuHours: number;
	cloudGpuHoursByCapacityType: Record<string, number>;
	cloudCostUsd: number;
	/** The same, exactly; a decimal string. */
	cloudCostMicroUsd: string;
	/** By kind: compute, egress. */
	costByKindUsd: Record<string, number>;
	/** Part of cloudCostUsd: machines kept ready without a job. Absent: none was. */
	keptWarmUsd?: number;
	egressGiB: number;
	/** Of the GPU time with known power and grid intensity; null if that covers none of the use. */
	emissionsKg: number | null;
	/** GPU-hours with unknown power or grid intensity. */
	emissionsUnknownGpuHours: number;
	interruptions: number;
	moves: number;
	evictions: number;
	/** Launches refused for lack of capacity. */
	refusals: number;
	/** Launches that a provider's API throttled. Absent: the scenario has no request limit. */
	throttled?: number;
	/** Work that had to be redone, plus boots and restores, GPU-hours. */
	lostGpuHours: number;
	overshootUsd: number;
	decisions: number;
	decisionsPerSecond: number;
	replaySeconds: number;
	/** In order of submission. Absent: the scenario has no pipelines. */
	pipelines?: ReplayedPipeline[];
	/** By day, team and class, for charts (series.ts). */
	series?: ReplaySeries;
}

/** Result of one pipeline. Times are ISO 8601 in UTC. */
export interface ReplayedPipeline {
	name: string;
	/** `refused`: its worst case exceeds its own budget, or what a budget has left. `running`: not done by the end. */
	state: PipelineState | "refused";
	/** Why it was refused. */
	refusal: string | null;
	submittedAt: string;
	/** First start of a command. */
	startedAt: string | null;
	finishedAt: string | null;
	deadlineAt: string | null;
	/** null without a deadline. */
	deadlineMet: boolean | null;
	/** It missed a deadline that dedicated machines, at home or in the cloud after a boot, would have met. */
	avoidableMiss: boolean;
	runs: number;
	runsSucceeded: number;
	/** Trials that a sweep stopped early, and those that it therefore never started. */
	runsStopped: number;
	/** Of all its jobs. */
	cloudCostUsd: number;
	/** null if part of it is unknown. */
	emissionsKg: number | null;
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

/** Times to the first start and to the end, for the jobs of one team or class. */
export interface GroupWaits {
	name: string;
	jobs: number;
	/** Jobs that the times cover. */
	jobsDone: number;
	meanWaitS: number;
	p50WaitS: number;
	p95WaitS: number;
	meanTimeToModelS: number;
}

/** Actual speeds of job families on each accelerator of a replay. The core learns them only from jobs that ran there. */
export interface ReplayThroughput {
	/** Accelerator of the recorded run times, for jobs that name none (trace column gpu_type). Its speed is 1. */
	recordedOn: string;
	/** The first match applies: patterns on team and user, and speeds in any unit; 0: it cannot run there. */
	families: readonly { teams: readonly string[]; users: readonly string[]; speeds: Readonly<Record<string, number>> }[];
	/** What the core knows beforehand. Also the true ratios of accelerators that a family does not name. */
	prior: ThroughputPrior;
}
