export const CLOUDS = ["aws", "azure", "gcp"] as const;
export type Cloud = (typeof CLOUDS)[number];

export const VICTIMS = ["scheduler", "agent", "emulator", "connection"] as const;
export type Victim = (typeof VICTIMS)[number];

/** Where in a machine's life a step lies, or that no step was waited for: the columns of the table. */
export const PHASES = ["launch", "run", "checkpoint", "move", "termination", "any instant"] as const;
export type Phase = (typeof PHASES)[number];

export interface Kill {
	victim: Victim;
	step: string;
	/** At the n-th pass of the step; of one within a move, the n-th since a move was decided. */
	pass: number;
	/** Only once a move was decided. */
	inMove: boolean;
	/**
	 * What becomes of the victim. Of an agent: `killed` alone, `alone`: its machine stays on without anybody who would end it,
	 * `hung`: it is there and does nothing. Of a connection: `lost`: the answer, `away`: the control plane, `database`: all
	 * sessions of the database.
	 */
	how: "killed" | "alone" | "hung" | "lost" | "away" | "database";
	/** Real milliseconds until it is back. */
	backAfterMs: number;
}

/** What the provider does wrong, in words that each emulated cloud translates. */
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
	/** Real milliseconds between two. */
	everyMs: number;
	checkpoints: boolean;
	spot: boolean;
	/** Its command runs by a lease, and goes on elsewhere when its machine is not heard. */
	critical?: boolean;
	/** It ends when this name is rung; see command.ts. */
	until?: string;
	/** By its estimate it would run for two hours. */
	long?: boolean;
	/** The policy lets it burst to this cloud alone; absent: to any. */
	cloud?: Cloud;
	/** By the run's clock, after its submission. */
	deadlineInMs?: number;
}

export interface Plan {
	/** Of a scene it is no draw, and then only a name of the run. */
	seed: number;
	clouds: Cloud[];
	jobs: ChaosJob[];
	kills: Kill[];
	faults: ProviderFault[];
	/** The machine that is interrupted, by order of its launch, after so many real milliseconds of running. */
	interruptions: { machine: number; afterMs: number }[];
	/** Where its first job is drawn to while it runs; null: it stays where it is. */
	move: Move | null;
	/** Slots at home, each with a job that came before the others and stays until these are over or drawn there. */
	homeSlots: number;
	/** At most so many machines at once; null: any number. */
	machinesMax: number | null;
	/** Real: after it everything is put right, whatever has not been met. */
	patienceMs: number;
	/** A region that answers nothing, with silent machines, from this many real milliseconds on and for this many. */
	outage: { cloud: Cloud; region: 0 | 1; atMs: number; forMs: number } | null;
	/**
	 * The region in which its first job runs answers nothing and none of its agents is heard, from so many real milliseconds after that
	 * job's start and for so many by the run's clock. `hung`: its agents are also suspended. Null: none is cut off.
	 */
	cut: { afterMs: number; forMs: number; hung: boolean } | null;
	/**
	 * Its schedulers are separate processes, which SIGKILL ends: at the steps of `kills`, and after so many real milliseconds
	 * wherever they are. Null: they live in the run's process.
	 */
	schedulerProcess: { instants: { atMs: number; backAfterMs: number }[] } | null;
}

/**
 * The one slot at home is free, or a region where none of its work runs costs a tenth, so many real milliseconds after the first job
 * began in a cloud.
 */
export interface Move {
	to: "home" | "cheaper";
	afterMs: number;
}

/** The step of a kill that waits for none. */
export const ANY_INSTANT = "any instant";

export function phaseOf({ step, inMove }: Pick<Kill, "step" | "inMove">): Phase {
	if (step === ANY_INSTANT) return "any instant";
	if (inMove || /^(move|home):/.test(step)) return "move";
	if (/checkpoints|commit|:put/.test(step)) return "checkpoint";
	if (/launch|enroll/.test(step)) return "launch";
	return /terminate|exited/.test(step) ? "termination" : "run";
}
