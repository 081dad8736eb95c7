import type { CapacityType, Role, WorkloadClass } from "./vocabulary.ts";

/** A policy after parsing: plain data, JSON-safe except for money as bigint. Text, comments and order stay in the version's source. */
export interface Policy {
	name: string;
	rules: Rule[];
	budgets: BudgetRule[];
	/** Caps that are not money over a period. */
	caps: CapRule[];
	/** What share of the owned GPUs each named team has a claim to, by weight; the others share weight 1 each. Empty: no shares. */
	shares: { team: string; weight: number }[];
	weights: { delayMicroUsdPerHour: bigint; carbonMicroUsdPerTonne: bigint };
}

/** One rule: when its CEL condition holds for a job (null: always), its one effect applies. */
export interface Rule {
	id: string;
	when: string | null;
	/** 1-based line of the rule in the source. */
	line: number;
	effect: RuleEffect;
}

export type RuleEffect =
	/** Removes places: site ids, the words `cloud` or `owned`, regions and instance families as patterns. */
	| { kind: "deny"; sites: string[]; regions: string[]; instanceFamilies: string[]; capacityTypes: CapacityType[] }
	/** Of cloud offers only those that match every given list stay. An empty list restricts nothing. */
	| { kind: "allow"; sites: string[]; regions: string[]; instanceFamilies: string[]; capacityTypes: CapacityType[] }
	/** Cloud offers must have this capacity type, or the quote needs this role's approval. */
	| { kind: "require"; capacityType: Exclude<CapacityType, "owned"> | null; approval: Role | null }
	/** When a waiting job may leave home: any of the given triggers is met. Without any burst rule nothing bursts. */
	| {
			kind: "burst";
			forecastWaitMs: number | null;
			waitedMs: number | null;
			deadlineSlackMs: number | null;
			queueLength: number | null;
			/** An hour of waiting is worth this for each GPU; the job leaves when its forecast wait costs more than the best offer. */
			waitingMicroUsdPerGpuHour?: bigint;
			always: boolean;
			/** Even when due, it leaves only to offers with at most this estimated cost and this much data to copy. */
			costAtMostMicroUsd: bigint | null;
			dataAtMostGiB: number | null;
	  }
	/**
	 * At home these jobs may take the place of running jobs of the given classes. `longerBy` null: when their deadline does not let
	 * them wait. A number: when they would have to leave home otherwise, of jobs that take at least so many times as long.
	 */
	| { kind: "preempt"; classes: WorkloadClass[]; longerBy: number | null }
	/** At a checkpoint a burst job may go home, or to cheaper capacity, when that saves at least so much after what the move costs. */
	| { kind: "move"; to: MoveKind[]; savingMicroUsd: bigint }
	/** The start may be put off, inside the slack before its deadline and at most so long, to a cheaper or a greener hour. */
	| {
			kind: "defer";
			to: "cheaper" | "greener";
			withinMs: number;
			/** Only starts there. Absent: both. */
			at?: "cloud" | "owned";
			/** What an hour of delay must save, percent of the run's emissions or price. Absent: anything. */
			percentPerHour?: number;
	  }
	/**
	 * Jobs that wait in a cluster's own queue may run in the cloud instead, as this team's. An empty list names all; partitions (or
	 * namespaces) and users are patterns. With `needsOptIn` only jobs that their owner marked.
	 */
	| { kind: "adopt"; team: string; sites: string[]; partitions: string[]; users: string[]; needsOptIn: boolean }
	| { kind: "limit"; instanceMs: number | null; idleMs: number | null; gpuUtilisationBelow: { percent: number; forMs: number } | null };

export const BUDGET_PERIODS = ["month", "quarter", "year"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

export const CAP_REACTIONS = ["hold", "checkpoint-and-return", "terminate"] as const;
export type CapReaction = (typeof CAP_REACTIONS)[number];

/** A cap on cloud money. `scope` is CEL over the job; "true" is everybody. */
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

/** A cap that is not money over a period; what would pass it waits. `scope` is CEL over the job; "true" is everybody. */
export type CapRule = { id: string; scope: string; line: number } & (
	| { kind: "burn_rate"; microUsdPerHour: bigint }
	| { kind: "egress"; period: BudgetPeriod; gib: number }
	| { kind: "instances"; count: number }
);

/** A problem in a policy text, at its place. `error` stops publishing, `warning` does not. */
export interface PolicyProblem {
	severity: "error" | "warning";
	line: number;
	column: number;
	message: string;
	/** What to do, or what was probably meant. */
	fix: string | null;
}

/** The policy that decides; others are kept and compared only. */
export const DEFAULT_POLICY = "default";
