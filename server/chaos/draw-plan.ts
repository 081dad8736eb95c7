import { PROBE_STEPS } from "#server/control-loop/context.ts";
import { type Random, seededRandom } from "#server/kernel/random.ts";
import { type ChaosJob, CLOUDS, type Kill, type Move, type Plan, type ProviderFault, phaseOf, VICTIMS } from "./plan.ts";

/** Steps of the control loop itself, and its provider calls that are still unanswered. */
const LOOP_STEPS = PROBE_STEPS.filter((step) => step.startsWith("launch:") || step.startsWith("terminate:"));
/** Steps of a job that moves home at a checkpoint or to cheaper capacity. */
const MOVE_STEPS = PROBE_STEPS.filter((step) => step.startsWith("move:"));
const HOME_STEPS = PROBE_STEPS.filter((step) => step.startsWith("home:"));
const CALL_STEPS = ["sent:launch", "sent:terminate", "sent:describe"] as const;
/** Agent calls: before the control plane handles them, and afterwards, while the response is in flight. */
const AGENT_CALLS = ["enroll", "running", "logs", "heartbeat", "checkpoints", "put", "commit", "exited"] as const;
const AGENT_STEPS = AGENT_CALLS.flatMap((call) => [`before:${call}`, `after:${call}`]);
/** Steps of the machine that the job leaves, from its notice to its end. */
const LEAVING_STEPS = ["heartbeat", "logs", "checkpoints", "put", "commit", "exited"].flatMap((call) => [
	`before:${call}`,
	`after:${call}`,
]);

const FAULT_KINDS: ProviderFault["kind"][] = [
	...["no_capacity", "throttled", "server_error", "launch_answer_lost", "launch_answer_late", "launch_invisible"],
	...["slow_boot", "vanish", "terminate_answer_lost", "slow_termination", "terminate_refused"],
] as ProviderFault["kind"][];

const PATIENCE_MS = 90_000;
/** For runs with a move, which happens after ten minutes of the run's clock. Most such runs end long before. */
const MOVE_PATIENCE_MS = 240_000;
const MOVES = 0.12;
/** Share of the runs with schedulers as separate processes. */
export const PROCESSES = 0.15;
/** Share of the runs without a move in which the region of a critical job is cut off. */
export const CUTS = 0.12;

/** Draws everything random about a run except which of two processes is faster. Shares: see PROCESSES and CUTS. */
export function drawPlan(seed: number, { processes = PROCESSES, cuts = CUTS }: { processes?: number; cuts?: number } = {}): Plan {
	const random = seededRandom(`chaos/${seed}`);
	const all = random.fork("clouds");
	const clouds = all.next() < 0.2 ? [...CLOUDS] : [all.pick(CLOUDS)];
	const move = drawMove(random.fork("move"));
	const cut = move === null ? drawCut(random.fork("cut"), cuts) : null;
	const kills = Array.from({ length: random.int(1, 3) }, (_, i) => drawKill(random.fork(`kill/${i}`), i === 0 ? move : null));
	if (cut) kills.push(...drawKillAtFence(random.fork("fence")));
	const saves = move !== null || kills.some((kill) => phaseOf(kill) === "checkpoint");
	const drawnJobs = drawJobs(random.fork("jobs"), saves, move);
	const jobs = cut === null ? drawnJobs : drawnJobs.map((job, i) => ({ ...job, critical: true, ...(i === 0 ? CUT_OFF : {}) }));
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
	const schedulerProcess = drawProcess(random.fork("process"), processes);
	const patienceMs = move ? MOVE_PATIENCE_MS : PATIENCE_MS;
	return {
		seed,
		clouds,
		jobs,
		kills,
		faults,
		interruptions,
		move,
		outage,
		cut,
		homeSlots,
		machinesMax: null,
		patienceMs,
		schedulerProcess,
	};
}

function drawMove(random: Random): Move | null {
	return random.next() < MOVES ? { to: random.pick(["home", "cheaper"] as const), afterMs: random.int(0, 1_500) } : null;
}

function drawOutage(random: Random, clouds: readonly Plan["clouds"][number][]): Plan["outage"] {
	if (random.next() >= 0.15) return null;
	return { cloud: random.pick(clouds), region: random.pick([0, 1] as const), atMs: random.int(0, 3_000), forMs: random.int(500, 4_000) };
}

/** Long enough to be still running when its lease expires. */
const CUT_OFF = { lines: 120, everyMs: 250, checkpoints: true };

/** Draws cuts that end before the lease expires, between its expiry and the fence, and later. */
function drawCut(random: Random, share: number): Plan["cut"] {
	if (random.next() >= share) return null;
	return { afterMs: random.int(300, 2_500), forMs: random.int(30, 180) * 1_000, hung: random.next() < 0.3 };
}

function drawKillAtFence(random: Random): Kill[] {
	if (random.next() >= 0.3) return [];
	const step = random.pick(PROBE_STEPS.filter((probe) => probe.startsWith("lease:")));
	return [{ victim: "scheduler", step, pass: 1, inMove: false, how: "killed", backAfterMs: random.int(0, 400) }];
}

/** A process takes a second to start, so not every run has one. */
function drawProcess(random: Random, share: number): Plan["schedulerProcess"] {
	if (random.next() >= share) return null;
	const instants = Array.from({ length: random.int(1, 2) }, () => ({ atMs: random.int(0, 12_000), backAfterMs: random.int(0, 400) }));
	return { instants: instants.sort((a, b) => a.atMs - b.atMs) };
}

/** The first job is long and saves checkpoints when the plan needs one. */
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
		// Not spot: the provider sets spot prices, while the run controls all others.
		return move ? mover(job.name) : { ...job, lines: 30, everyMs: 60, checkpoints: true };
	});
}

/** A job worth moving: its remaining time is long until it is hurried. Jobs are not moved in their first ten minutes. */
export function mover(name: string): ChaosJob {
	return { name, lines: 200, everyMs: 1_000, checkpoints: true, spot: false, long: true };
}

/** `move`: the kill hits a moving job, at any step from the decision until it runs elsewhere. */
function drawKill(random: Random, move: Move | null): Kill {
	const victim = random.pick(VICTIMS);
	const inMove = move !== null;
	const pass = inMove ? 1 : random.int(1, 2);
	const backAfterMs = random.int(0, 400);
	const common = { victim, pass, inMove, backAfterMs };
	const there = move?.to === "home" ? HOME_STEPS : LOOP_STEPS.filter((step) => step.startsWith("launch:"));
	const loopSteps = inMove ? [...MOVE_STEPS, ...LOOP_STEPS.filter((step) => step.startsWith("terminate:")), ...there] : LOOP_STEPS;
	const agentSteps = inMove ? LEAVING_STEPS : AGENT_STEPS;
	const callSteps = inMove && move.to === "home" ? CALL_STEPS.filter((step) => step !== "sent:launch") : CALL_STEPS;
	switch (victim) {
		case "scheduler":
			return { ...common, step: random.pick([...loopSteps, ...callSteps]), how: "killed" };
		case "agent":
			return { ...common, step: random.pick(agentSteps), how: random.pick(["killed", "alone", "hung"] as const) };
		case "emulator":
			return { ...common, step: random.pick(callSteps), how: "killed" };
		case "connection": {
			const how = random.pick(["lost", "away", "database"] as const);
			return { ...common, step: random.pick(how === "database" ? loopSteps : agentSteps), how };
		}
	}
}
