import type { CapacityType, Role, WorkloadClass } from "./vocabulary.ts";

/** A parsed policy: plain data, JSON-safe except for money as bigint. Text, comments and order stay in the version's source. */
export interface Policy {
	name: string;
	rules: Rule[];
	budgets: BudgetRule[];
	/** Caps that are not money over a period. */
	caps: CapRule[];
	/** Each named team's share of the owned GPUs, by weight; all other teams share weight 1 each. Empty: no shares. */
	shares: { team: string; weight: number }[];
	/** `pointsPerGpuHour`: what a GPU-hour of expected work takes from a job's rank in the queue. Absent: nothing. */
	weights: { delayMicroUsdPerHour: bigint; carbonMicroUsdPerTonne: bigint; pointsPerGpuHour?: number };
}

/** One rule: if its CEL condition holds for a job (null: always), its one effect applies. */
export interface Rule {
	id: string;
	when: string | null;
	/** 1-based line of the rule in the source. */
	line: number;
	effect: RuleEffect;
}

export type RuleEffect =
	/** Excludes places: site ids, the words `cloud` or `owned`, regions and instance families as patterns. */
	| { kind: "deny"; sites: string[]; regions: string[]; instanceFamilies: string[]; capacityTypes: CapacityType[] }
	/** Keeps only cloud offers that match every given list. An empty list restricts nothing. */
	| { kind: "allow"; sites: string[]; regions: string[]; instanceFamilies: string[]; capacityTypes: CapacityType[] }
	/** Cloud offers must have this capacity type, or need this role's approval. */
	| { kind: "require"; capacityType: Exclude<CapacityType, "owned"> | null; approval: Role | null }
	/** When a waiting job may leave home: if any of the given triggers applies. Without a burst rule nothing bursts. */
	| {
			kind: "burst";
			forecastWaitMs: number | null;
			waitedMs: number | null;
			deadlineSlackMs: number | null;
			queueLength: number | null;
			/** Value of one hour of waiting, per GPU. The job leaves when its forecast wait costs more than the best offer. */
			waitingMicroUsdPerGpuHour?: bigint;
			always: boolean;
			/** Limits on the offers it may leave to: estimated cost and data to copy. */
			costAtMostMicroUsd: bigint | null;
			dataAtMostGiB: number | null;
	  }
	/**
	 * At home these jobs may preempt running jobs of the given classes. `longerBy` null: when their deadline does not
	 * allow waiting. A number: when they would otherwise have to leave home, and only jobs that take at least that many
	 * times as long.
	 */
	| { kind: "preempt"; classes: WorkloadClass[]; longerBy: number | null }
	/**
	 * At a checkpoint a burst job may move home or to cheaper capacity if that saves at least this much after the cost
	 * of the move.
	 */
	| { kind: "move"; to: MoveKind[]; savingMicroUsd: bigint }
	/** The start may be delayed to a cheaper or greener hour, within the slack before the deadline and at most by this much. */
	| {
			kind: "defer";
			to: "cheaper" | "greener";
			withinMs: number;
			/** Applies only to starts there. Absent: both. */
			at?: "cloud" | "owned";
			/** Minimum saving per hour of delay, percent of the run's emissions or price. Absent: any. */
			percentPerHour?: number;
	  }
	/**
	 * Jobs waiting in a cluster's own queue may run in the cloud instead, charged to this team. An empty list matches
	 * all; partitions (or namespaces) and users are patterns. With `needsOptIn` only jobs marked by their owner.
	 */
	| { kind: "adopt"; team: string; sites: string[]; partitions: string[]; users: string[]; needsOptIn: boolean }
	/**
	 * Keeps up to this many cloud machines of one kind ready before jobs are queued for them. `sites` empty: all clouds; `capacityType` null:
	 * any. The rule's condition selects the jobs that they are for.
	 */
	| {
			kind: "prewarm";
			machines: number;
			accelerator: string;
			gpusPerMachine: number;
			sites: string[];
			capacityType: "on_demand" | "spot" | null;
			/** What a machine without a job is: running (its full price, starts at once) or stopped (its disk's price, starts in about a minute). */
			state: "running" | "stopped";
			/** Limit on the cost of machines without a job, by calendar month. */
			capMicroUsdPerMonth: bigint;
			/** A machine without a job for this long, its boot aside, ends. */
			idleMs: number;
			/** Value of one hour of waiting, per GPU. */
			waitingMicroUsdPerGpuHour: bigint;
			/** In the company's time zone. null: when the demand forecast expects a need. */
			hours: PrewarmHours | null;
			/** Images and data sets that its machines fetch while they wait. Absent: those that recorded jobs used. */
			images?: string[];
			data?: string[];
	  }
	| { kind: "limit"; instanceMs: number | null; idleMs: number | null; gpuUtilisationBelow: { percent: number; forMs: number } | null };

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Minutes since midnight; `toMinute` is above `fromMinute`, at most 1440. */
export interface PrewarmHours {
	days: Weekday[];
	fromMinute: number;
	toMinute: number;
}

export const BUDGET_PERIODS = ["month", "quarter", "year"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

export const CAP_REACTIONS = ["hold", "checkpoint-and-return", "terminate"] as const;
export type CapReaction = (typeof CAP_REACTIONS)[number];

/** A cap on cloud money. `scope` is CEL over the job; "true" matches every job. */
export interface BudgetRule {
	id: string;
	scope: string;
	period: BudgetPeriod;
	capMicroUsd: bigint;
	atCap: CapReaction;
	line: number;
}

export const MOVE_KINDS = ["home", "cheaper"] as const;
export type MoveKind = (typeof MOVE_KINDS)[number];

/**
 * A cap other than money over a period; jobs that would exceed it wait. `scope` is CEL over the job; "true" matches
 * every job.
 */
export type CapRule = { id: string; scope: string; line: number } & (
	| { kind: "burn_rate"; microUsdPerHour: bigint }
	| { kind: "egress"; period: BudgetPeriod; gib: number }
	| { kind: "instances"; count: number }
);

/** A problem in a policy text, with its position. `error` blocks publishing, `warning` does not. */
export interface PolicyProblem {
	severity: "error" | "warning";
	line: number;
	column: number;
	message: string;
	/** What to do, or what was probably meant. */
	fix: string | null;
}

/** The policy in force; others are only kept and compared. */
export const DEFAULT_POLICY = "default";
