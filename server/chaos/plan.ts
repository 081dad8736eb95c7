import { PROBE_STEPS } from "#server/control-loop/context.ts";
import { type Random, seededRandom } from "#server/kernel/random.ts";

export const CLOUDS = ["aws", "azure", "gcp"] as const;
export type Cloud = (typeof CLOUDS)[number];

export const VICTIMS = ["scheduler", "agent", "emulator", "connection"] as const;
export type Victim = (typeof VICTIMS)[number];

/** Where in a machine's life a step lies: the columns of the table. */
export const PHASES = ["launch", "run", "checkpoint", "termination"] as const;
export type Phase = (typeof PHASES)[number];

/** Steps of the control loop itself, and calls that it has sent to a provider and has no answer to yet. */
const LOOP_STEPS = PROBE_STEPS.filter((step) => step.startsWith("launch:") || step.startsWith("terminate:"));
const CALL_STEPS = ["sent:launch", "sent:terminate", "sent:describe"] as const;
/** Calls of an agent, before the control plane has worked on them and after it, when the answer is on its way. */
const AGENT_CALLS = ["enroll", "running", "logs", "heartbeat", "checkpoints", "commit", "exited"] as const;
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
}

export interface Plan {
	seed: number;
	clouds: Cloud[];
	jobs: ChaosJob[];
	kills: Kill[];
	faults: ProviderFault[];
	/** The machine that is interrupted, by order of its launch, after so many real milliseconds of running. */
	interruptions: { machine: number; afterMs: number }[];
}

const FAULT_KINDS: ProviderFault["kind"][] = [
	...["no_capacity", "throttled", "server_error", "launch_answer_lost", "launch_answer_late", "launch_invisible"],
	...["slow_boot", "vanish", "terminate_answer_lost", "slow_termination", "terminate_refused"],
] as ProviderFault["kind"][];

export function phaseOf(step: string): Phase {
	if (/checkpoints|commit/.test(step)) return "checkpoint";
	if (/launch|enroll/.test(step)) return "launch";
	return /terminate|exited/.test(step) ? "termination" : "run";
}

/** Everything that a run draws. What it does not draw is which of two processes is quicker. */
export function drawPlan(seed: number): Plan {
	const random = seededRandom(`chaos/${seed}`);
	const all = random.fork("clouds");
	const clouds = all.next() < 0.2 ? [...CLOUDS] : [all.pick(CLOUDS)];
	const jobs = drawJobs(random.fork("jobs"));
	const kills = Array.from({ length: random.int(1, 3) }, (_, i) => drawKill(random.fork(`kill/${i}`)));
	const drawn = random.fork("faults");
	const faults = Array.from({ length: drawn.int(0, 2) }, () => ({
		kind: drawn.pick(FAULT_KINDS),
		times: drawn.int(1, 2),
		durationMs: drawn.int(10, 90) * 1_000,
	}));
	const taken = random.fork("interruptions");
	const interruptions = taken.next() < 0.3 ? [{ machine: taken.int(0, 1), afterMs: taken.int(0, 1_500) }] : [];
	return { seed, clouds, jobs, kills, faults, interruptions };
}

function drawJobs(random: Random): ChaosJob[] {
	return Array.from({ length: random.int(1, 2) }, (_, i) => ({
		name: `job-${i + 1}`,
		lines: random.int(5, 30),
		everyMs: random.int(10, 50),
		checkpoints: random.next() < 0.5,
		spot: random.next() < 0.5,
	}));
}

function drawKill(random: Random): Kill {
	const victim = random.pick(VICTIMS);
	const pass = random.int(1, 2);
	const backAfterMs = random.int(0, 400);
	switch (victim) {
		case "scheduler":
			return { victim, step: random.pick([...LOOP_STEPS, ...CALL_STEPS]), pass, how: "killed", backAfterMs };
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
