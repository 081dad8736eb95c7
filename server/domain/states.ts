/**
 * The three state machines. States change only along these arrows. Database triggers enforce the same tables (see
 * drizzle/), and a test verifies that the two match.
 */
export type TransitionTable<S extends string> = Readonly<Record<S, readonly S[]>>;

export const JOB_STATES = ["held", "queued", "admitted", "running", "succeeded", "failed", "cancelled"] as const;
export type JobState = (typeof JOB_STATES)[number];

/** A job waits (`held` by a person or a budget, `queued` for capacity), is placed, runs, and ends once. */
export const JOB_TRANSITIONS: TransitionTable<JobState> = {
	held: ["queued", "admitted", "failed", "cancelled"],
	queued: ["held", "admitted", "failed", "cancelled"],
	admitted: ["queued", "running", "failed", "cancelled"],
	running: ["queued", "succeeded", "failed", "cancelled"],
	succeeded: [],
	failed: [],
	cancelled: [],
};

export const ATTEMPT_STATES = [
	"starting",
	"staging",
	"running",
	"stopping",
	"succeeded",
	"failed",
	"interrupted",
	"evicted",
	"cancelled",
	"lost",
] as const;
export type AttemptState = (typeof ATTEMPT_STATES)[number];

/**
 * A final attempt always has a reason. `interrupted`: the provider's notice; `evicted`: capacity became unfit; `lost`:
 * unknown.
 */
export const ATTEMPT_TRANSITIONS: TransitionTable<AttemptState> = {
	starting: ["staging", "running", "stopping", "failed", "interrupted", "evicted", "cancelled", "lost"],
	staging: ["running", "stopping", "failed", "interrupted", "evicted", "cancelled", "lost"],
	running: ["stopping", "succeeded", "failed", "interrupted", "evicted", "cancelled", "lost"],
	stopping: ["succeeded", "failed", "interrupted", "evicted", "cancelled", "lost"],
	succeeded: [],
	failed: [],
	interrupted: [],
	evicted: [],
	cancelled: [],
	lost: [],
};

export const INSTANCE_STATES = ["intended", "requested", "provisioning", "ready", "draining", "terminating", "terminated"] as const;
export type InstanceState = (typeof INSTANCE_STATES)[number];

/**
 * Instances cost money, jobs don't. `intended` and `requested` may end immediately when no call was made or the
 * provider definitely rejected it. From `provisioning` on, `terminated` is written only after the provider confirms
 * it.
 */
export const INSTANCE_TRANSITIONS: TransitionTable<InstanceState> = {
	intended: ["requested", "terminated"],
	requested: ["provisioning", "terminating", "terminated"],
	provisioning: ["ready", "draining", "terminating", "terminated"],
	ready: ["draining", "terminating", "terminated"],
	draining: ["terminating", "terminated"],
	terminating: ["terminated"],
	terminated: [],
};

/**
 * Ends of an adoption: the job went back to its cluster; it ended at home; it was finished at home when the cloud
 * attempt ended.
 */
export const ADOPTION_STATES = ["offered", "holding", "held", "returning", "released", "finishing", "finished", "abandoned"] as const;
export type AdoptionState = (typeof ADOPTION_STATES)[number];

/**
 * A job from a cluster's own queue that may run in the cloud instead. `offered`: it waits at home as before, in
 * parallel with our job; the first to start wins. `holding`: the home cluster is asked to hold it. `held`: the home
 * cluster holds it, and an attempt may now start. `returning`: no new attempts; the hold is released once none is
 * alive. `finishing`: it ran to its end in the cloud, and the end is being reported at home.
 */
export const ADOPTION_TRANSITIONS: TransitionTable<AdoptionState> = {
	offered: ["holding", "released", "abandoned"],
	holding: ["held", "returning", "abandoned"],
	held: ["returning", "finishing", "abandoned"],
	returning: ["released", "finishing", "abandoned"],
	released: [],
	finishing: ["finished"],
	finished: [],
	abandoned: [],
};

export const PIPELINE_STATES = ["running", "cancelling", "succeeded", "failed", "cancelled"] as const;
export type PipelineState = (typeof PIPELINE_STATES)[number];

/** An ended pipeline runs again when a person retries it. */
export const PIPELINE_TRANSITIONS: TransitionTable<PipelineState> = {
	running: ["cancelling", "succeeded", "failed", "cancelled"],
	cancelling: ["succeeded", "failed", "cancelled"],
	succeeded: ["running"],
	failed: ["running"],
	cancelled: ["running"],
};

export const STEP_STATES = ["waiting", "submitted", "succeeded", "failed", "skipped", "cancelled"] as const;
export type StepState = (typeof STEP_STATES)[number];

/**
 * One run of a pipeline step. `submitted`: its job is alive. A failed run returns to `waiting` while retries are left,
 * and on a manual retry.
 */
export const STEP_TRANSITIONS: TransitionTable<StepState> = {
	waiting: ["submitted", "skipped", "cancelled"],
	submitted: ["waiting", "succeeded", "failed", "skipped", "cancelled"],
	succeeded: ["waiting"],
	failed: ["waiting"],
	skipped: ["waiting"],
	cancelled: ["waiting"],
};

export const MACHINES = {
	job: JOB_TRANSITIONS,
	attempt: ATTEMPT_TRANSITIONS,
	instance: INSTANCE_TRANSITIONS,
	adoption: ADOPTION_TRANSITIONS,
	pipeline: PIPELINE_TRANSITIONS,
	pipeline_run: STEP_TRANSITIONS,
} as const;

export function canMove<S extends string>(table: TransitionTable<S>, from: S, to: S): boolean {
	return table[from].includes(to);
}

export function isFinal<S extends string>(table: TransitionTable<S>, state: S): boolean {
	return table[state].length === 0;
}

/** States in which a job, attempt or instance is still alive: the loop's working set. */
export const LIVE_JOB_STATES = ["held", "queued", "admitted", "running"] as const satisfies readonly JobState[];
export const LIVE_ATTEMPT_STATES = ["starting", "staging", "running", "stopping"] as const satisfies readonly AttemptState[];
export const LIVE_INSTANCE_STATES = [
	"intended",
	"requested",
	"provisioning",
	"ready",
	"draining",
	"terminating",
] as const satisfies readonly InstanceState[];

export const LIVE_PIPELINE_STATES = ["running", "cancelling"] as const satisfies readonly PipelineState[];
export const FINAL_STEP_STATES = ["succeeded", "failed", "skipped", "cancelled"] as const satisfies readonly StepState[];

/** A hold of money: reserved at placement, then posted (something was charged) or voided (nothing was). */
export const HOLD_STATES = ["pending", "posted", "voided"] as const;
export type HoldState = (typeof HOLD_STATES)[number];
