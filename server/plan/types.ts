import type { BadRowNote, History } from "./history/read-history.ts";
import type { CommitmentAdvice } from "./profile/commitments.ts";

/** A constant behind a figure, with its source. */
export interface Assumption {
	name: string;
	value: string;
	/** A source, or the reason for the assumption. */
	source: string;
}

export interface Waits {
	jobs: number;
	meanS: number;
	p50S: number;
	p95S: number;
}

export type WaitGroup = Waits & { name: string };

/** Output of `spillway plan assess --json`. Times are seconds or hours as named, UTC. */
export interface PlanAssessment {
	apiVersion: "spillway/v1";
	kind: "PlanAssessment";
	history: HistorySummary;
	/** The jobs that `demand`, `waits`, `lostWork`, `neverFit` and `candidates` are of; absent: all. Everything else is of all jobs. */
	selection?: { team: string | null; class: string | null; gpu: string | null; jobs: number; gpuHours: number };
	capacity: {
		gpus: number;
		/** given: by the caller; recorded_peak: most concurrent GPUs; work_80: as many as carry 80% of the work. */
		basis: "given" | "recorded_peak" | "work_80";
	};
	demand: DemandProfile;
	waits: {
		/** recorded: by the history; simulated: owned GPUs only, backfill; unknown: neither. */
		basis: "recorded" | "simulated" | "unknown";
		all: Waits | null;
		byTeam: WaitGroup[];
		byClass: WaitGroup[];
		bySize: WaitGroup[];
	};
	idle: IdleProfile | null;
	lostWork: { gpuHours: number; share: number; byStatus: { status: string; jobs: number; gpuHours: number }[] };
	neverFit: { jobs: number; gpuHours: number; largestGpus: number };
	candidates: BurstCandidate[];
	/** Number of families not listed. */
	candidatesLeftOut: number;
	commitments: CommitmentAdvice;
	assumptions: Assumption[];
}

export interface HistorySummary {
	source: string;
	format: History["format"];
	jobs: number;
	gpuHours: number;
	teams: number;
	users: number;
	/** ISO times of the first and last submission. */
	from: string;
	to: string;
	days: number;
	/** False: the trace has no dates, so weekdays are assumed. */
	isStartKnown: boolean;
	notes: { withoutGpus: number; neverStarted: number; fractionsRoundedUp: number; stillRunning: number; ignoredColumns: string[] };
	badRows: { count: number; first: BadRowNote[] };
}

/** Demand: GPUs if every job had started at its submission. By hour, from the first submission to the last. */
export interface DemandProfile {
	meanGpus: number;
	peakGpus: number;
	/** Demand is at most this many GPUs in this share of the hours. */
	lines: { shareOfHours: number; gpus: number }[];
	/** This many GPUs carry this share of the work (GPU-hours below the line, hour by hour). */
	baseline: { shareOfWork: number; gpus: number }[];
	/** Share of the work that fits the capacity, and GPU-hours that do not. */
	carriedShare: number;
	overflowGpuHours: number;
	/** Load-duration curve: busiest hours first. */
	loadDuration: { percentOfHours: number; gpus: number }[];
	/** 168 entries, starting Monday 00:00 UTC. `usedGpus` is null if starts are unknown. */
	hourOfWeek: { demandGpus: number; usedGpus: number | null }[];
	days: { date: string; demandGpus: number; usedGpus: number | null }[];
	seasonality: {
		/** Share of the hourly variance that the hour of the week explains, 0 to 1. */
		hourOfWeekShare: number;
		/** Mean demand on Saturdays and Sundays ÷ on other days. */
		weekendRatio: number | null;
		/** Correlation of an hour with the same hour a day and a week before; null: the history is too short or flat. */
		dayCorrelation: number | null;
		weekCorrelation: number | null;
	};
}

/** GPU-hours of the capacity from the first submission to the last. */
export interface IdleProfile {
	capacityGpuHours: number;
	usedGpuHours: number;
	utilisation: number;
	/** Idle while no job waited. */
	noDemandGpuHours: number;
	/** Idle while jobs waited: their shape, order or limits prevented a start. */
	blockedGpuHours: number;
	/** Used beyond the capacity: the capacity is set too low. */
	overCapacityGpuHours: number;
}

export type CandidateReasonCode =
	| "waits_long"
	| "waits_short"
	| "asked_at_peak"
	| "one_machine"
	| "many_machines"
	| "suits_spot"
	| "long_runs"
	| "saves_checkpoints"
	| "no_checkpoints"
	| "checkpoints_unknown"
	| "little_data"
	| "much_data"
	| "data_unknown"
	| "sensitive"
	| "sensitivity_unknown"
	| "faster_elsewhere"
	| "never_fits";

export interface CandidateReason {
	code: CandidateReasonCode;
	/** For bursting, against it, or a missing fact. */
	effect: "for" | "against" | "unknown";
	text: string;
}

/** A family of jobs, and how well it suits the cloud. */
export interface BurstCandidate {
	team: string;
	label: string;
	gpus: number;
	/** 0 to 100. */
	score: number;
	reasons: CandidateReason[];
	jobs: number;
	gpuHours: number;
	/** GPU-hours requested beyond the capacity. */
	overflowGpuHours: number;
	meanWaitS: number | null;
	p50RunS: number;
	/** Cost of the overflow at list prices; null: no price on record. */
	onDemandUsd: number | null;
	spotUsd: number | null;
	/** Total hours of waiting of these jobs; null: unknown. */
	waitHours: number | null;
}
