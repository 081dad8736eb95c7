import { PROBE_STEPS } from "#server/control-loop/context.ts";
import { type Random, seededRandom } from "#server/kernel/random.ts";

export const CLOUDS = ["aws", "azure", "gcp"] as const;
export type Cloud = (typeof CLOUDS)[number];

export const VICTIMS = ["scheduler", "agent", "emulator", "connection"] as const;
export type Victim = (typeof VICTIMS)[number];

/** Where in a machine's life a step lies: the columns of the table. */
export const PHASES = ["launch", "run", "checkpoint", "move", "termination"] as const;
export type Phase = (typeof PHASES)[number];

/** Steps of the control loop itself, and calls that it has sent to a provider and has no answer to yet. */
const LOOP_STEPS = PROBE_STEPS.filter((step) => step.startsWith("launch:") || step.startsWith("terminate:"));
/** Those of a job that goes home at a checkpoint, or to cheaper capacity. */
const MOVE_STEPS = PROBE_STEPS.filter((step) => step.startsWith("move:") || step.startsWith("home:"));
const CALL_STEPS = ["sent:launch", "sent:terminate", "sent:describe"] as const;
/** Calls of an agent, before the control plane has worked on them and after it, when the answer is on its way. */
const AGENT_CALLS = ["enroll", "running", "logs", "heartbeat", "checkpoints", "put", "commit", "exited"] as const;
const AGENT_STEPS = AGENT_CALLS.flatMap((call) => [`before:${call}`, `after:${call}`]);

export interface Kill {
	victim: Victim;
	step: string;
	/** At the n-th pass of the step. */
	pass: number;
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
	/** Where its jobs are drawn to while they run; null: they stay where they are. */
	move: Move | null;
	/** Slots at home, each with a job that came before the others and stays until these are over or drawn there. */
	homeSlots: number;
	/** At most so many machines at once; null: any number. */
	machinesMax: number | null;
	/** Real: after it everything is put right, whatever has not been met. */
	patienceMs: number;
	/** A region that answers nothing and whose machines are not heard, from so many real milliseconds on and for so many. */
	outage: { cloud: Cloud; region: 0 | 1; atMs: number; forMs: number } | null;
}

/** The one slot at home is free, or one region of each cloud costs a tenth, so many real milliseconds after a job began in a cloud. */
export interface Move {
	to: "home" | "cheaper";
	afterMs: number;
}

const FAULT_KINDS: ProviderFault["kind"][] = [
	...["no_capacity", "throttled", "server_error", "launch_answer_lost", "launch_answer_late", "launch_invisible"],
	...["slow_boot", "vanish", "terminate_answer_lost", "slow_termination", "terminate_refused"],
] as ProviderFault["kind"][];

export function phaseOf(step: string): Phase {
	if (/checkpoints|commit|:put/.test(step)) return "checkpoint";
	if (/^(move|home):/.test(step)) return "move";
	if (/launch|enroll/.test(step)) return "launch";
	return /terminate|exited/.test(step) ? "termination" : "run";
}

const PATIENCE_MS = 90_000;
/** Where a job is to move: it must have run for ten minutes by the run's clock first. */
const MOVE_MS = 180_000;

/** Everything that a run draws. What it does not draw is which of two processes is quicker. */
export function drawPlan(seed: number): Plan {
	const random = seededRandom(`chaos/${seed}`);
	const all = random.fork("clouds");
	const clouds = all.next() < 0.2 ? [...CLOUDS] : [all.pick(CLOUDS)];
	const move = drawMove(random.fork("move"));
	const kills = Array.from({ length: random.int(1, 3) }, (_, i) => drawKill(random.fork(`kill/${i}`), move));
	const saves = move !== null || kills.some((kill) => phaseOf(kill.step) === "checkpoint");
	const jobs = drawJobs(random.fork("jobs"), saves, move);
	const drawn = random.fork("faults");
	const faults = Array.from({ length: drawn.int(0, 2) }, () => ({
		kind: drawn.pick(FAULT_KINDS),
		times: drawn.int(1, 2),
		durationMs: drawn.int(10, 90) * 1_000,
	}));
	const taken = random.fork("interruptions");
	const interruptions = taken.next() < 0.3 ? [{ machine: taken.int(0, 1), afterMs: taken.int(0, 1_500) }] : [];
	const outage = drawOutage(random.fork("outage"), clouds);
	const homeSlots = move?.to === "home" ? 1 : 0;
	const patienceMs = move ? MOVE_MS : PATIENCE_MS;
	return { seed, clouds, jobs, kills, faults, interruptions, move, outage, homeSlots, machinesMax: null, patienceMs };
}

function drawMove(random: Random): Move | null {
	return random.next() < 0.08 ? { to: random.pick(["home", "cheaper"] as const), afterMs: random.int(0, 1_500) } : null;
}

function drawOutage(random: Random, clouds: readonly Cloud[]): Plan["outage"] {
	if (random.next() >= 0.15) return null;
	return { cloud: random.pick(clouds), region: random.pick([0, 1] as const), atMs: random.int(0, 3_000), forMs: random.int(500, 4_000) };
}

/** The first one lasts and saves where a checkpoint is to be met. */
function drawJobs(random: Random, saves: boolean, move: Move | null): ChaosJob[] {
	const drawn = Array.from({ length: random.int(1, 2) }, (_, i) => ({
		name: `job-${i + 1}`,
		lines: random.int(5, 30),
		everyMs: random.int(10, 50),
		checkpoints: random.next() < 0.5,
		spot: random.next() < 0.5,
	}));
	return drawn.map((job, i) => {
		if (i > 0 || !saves) return job;
		// Prices of spot capacity are the provider's own; those of the rest are what the run says.
		return move ? { ...mover(job.name) } : { ...job, lines: 30, everyMs: 60, checkpoints: true };
	});
}

/** A job that is worth a move: its rest is long, until it is told to hurry. Nothing is moved before it has run ten minutes. */
export function mover(name: string): ChaosJob {
	return { name, lines: 400, everyMs: 400, checkpoints: true, spot: false, long: true };
}

function drawKill(random: Random, move: Move | null): Kill {
	const victim = random.pick(VICTIMS);
	const pass = random.int(1, 2);
	const backAfterMs = random.int(0, 400);
	switch (victim) {
		case "scheduler":
			return { victim, step: random.pick([...LOOP_STEPS, ...CALL_STEPS, ...(move ? MOVE_STEPS : [])]), pass, how: "killed", backAfterMs };
		case "agent":
			return { victim, step: random.pick(AGENT_STEPS), pass, how: random.pick(["killed", "alone", "hung"] as const), backAfterMs };
		case "emulator":
			return { victim, step: random.pick(CALL_STEPS), pass, how: "killed", backAfterMs };
		case "connection": {
			const how = random.pick(["lost", "away", "database"] as const);
			return { victim, step: random.pick(how === "database" ? LOOP_STEPS : AGENT_STEPS), pass, how, backAfterMs };
		}
	}
}
