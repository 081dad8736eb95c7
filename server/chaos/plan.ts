export const CLOUDS = ["aws", "azure", "gcp"] as const;
export type Cloud = (typeof CLOUDS)[number];

export const VICTIMS = ["scheduler", "agent", "emulator", "connection"] as const;
export type Victim = (typeof VICTIMS)[number];

/** Phase of a machine's life in which a step occurs, or any instant. These are the table's columns. */
export const PHASES = ["launch", "run", "checkpoint", "move", "termination", "any instant"] as const;
export type Phase = (typeof PHASES)[number];

export interface Kill {
	victim: Victim;
	step: string;
	/** Kills at the n-th pass of the step; with `inMove`, the n-th since a move was decided. */
	pass: number;
	/** Only after a move was decided. */
	inMove: boolean;
	/**
	 * What happens to the victim. For an agent: `killed`: only the agent dies; `alone`: its machine also loses the shell that
	 * would end it; `hung`: it is suspended. For a connection: `lost`: the response is lost; `away`: the control plane is
	 * unavailable; `database`: all database sessions are cut.
	 */
	how: "killed" | "alone" | "hung" | "lost" | "away" | "database";
	/** Real milliseconds until the victim is back. */
	backAfterMs: number;
}

/** A provider fault, in generic terms that each emulated cloud translates. */
export interface ProviderFault {
	kind:
		| "no_capacity"
		| "throttled"
		| "server_error"
		| "launch_answer_lost"
		| "launch_answer_late"
		| "launch_invisible"
		| "slow_boot"
		| "vanish"
		| "terminate_answer_lost"
		| "slow_termination"
		| "terminate_refused";
	times: number;
	/** By the run's clock. */
	durationMs: number;
}

export interface ChaosJob {
	name: string;
	/** Numbered lines that the command prints. */
	lines: number;
	/** Real milliseconds between two lines. */
	everyMs: number;
	checkpoints: boolean;
	spot: boolean;
	/** Its command runs under a lease and continues elsewhere when its machine goes silent. */
	critical?: boolean;
	/** Ends when this name is rung; see `ring` in command.ts. */
	until?: string;
	/** Has a runtime estimate of two hours. */
	long?: boolean;
	/** The policy lets it burst only to this cloud; absent: to any. */
	cloud?: Cloud;
	/** By the run's clock, after its submission. */
	deadlineInMs?: number;
}

export interface Plan {
	/** For a scene nothing is drawn from it; it only names the run. */
	seed: number;
	clouds: Cloud[];
	jobs: ChaosJob[];
	kills: Kill[];
	faults: ProviderFault[];
	/** Spot machines to interrupt, by launch order, after this many real milliseconds of running. */
	interruptions: { machine: number; afterMs: number }[];
	/** Where its first job is attracted while it runs; null: it does not move. */
	move: Move | null;
	/** Slots at home, each taken by an earlier job that stays until the plan's jobs are over or attracted home. */
	homeSlots: number;
	/** Maximum number of concurrent machines; null: unlimited. */
	machinesMax: number | null;
	/** Real time, after which everything is repaired, even if parts of the plan have not happened. */
	patienceMs: number;
	/** A region that stops responding and has silent machines: start and duration in real milliseconds. */
	outage: { cloud: Cloud; region: 0 | 1; atMs: number; forMs: number } | null;
	/**
	 * The region of its first job stops responding and its agents go silent: `afterMs` real milliseconds after that job's start,
	 * for `forMs` of the run's clock. `hung`: its agents are also suspended. null: no region is cut off.
	 */
	cut: { afterMs: number; forMs: number; hung: boolean } | null;
	/**
	 * Its schedulers are separate processes, ended by SIGKILL: at the steps of `kills`, and after `atMs` real milliseconds at any
	 * step. null: they live in the run's process.
	 */
	schedulerProcess: { instants: { atMs: number; backAfterMs: number }[] } | null;
}

/**
 * The single slot at home becomes free, or the prices of a region without its work drop to a tenth, `afterMs` real
 * milliseconds after the first job started in a cloud.
 */
export interface Move {
	to: "home" | "cheaper";
	afterMs: number;
}

/** The step of a kill that does not wait for a step. */
export const ANY_INSTANT = "any instant";

export function phaseOf({ step, inMove }: Pick<Kill, "step" | "inMove">): Phase {
	if (step === ANY_INSTANT) return "any instant";
	if (inMove || /^(move|home):/.test(step)) return "move";
	if (/checkpoints|commit|:put/.test(step)) return "checkpoint";
	if (/launch|enroll/.test(step)) return "launch";
	return /terminate|exited/.test(step) ? "termination" : "run";
}
