import { type Reason, reason } from "./reasons.ts";
import type { AttemptState, JobState } from "./states.ts";

/** After this many attempts a job fails instead of being retried. */
export const ATTEMPTS_MAX = 50;

/** After this many consecutive attempts without a checkpoint, a job is held from the cloud until a person releases it. */
export const FRUITLESS_MAX = 2;

/** How the command of an attempt ended, as seen by its supervisor. */
export interface Exit {
	code: number | null;
	signal: string | null;
	/** Set when the command could not be started or its data could not be staged. */
	error: string | null;
	/** With `error`, the step that failed: staging the data, pulling the image or starting the command. */
	failedAt?: "staging" | "image" | "start";
	/** The command was killed because the machine's or container's memory was full. */
	outOfMemory?: boolean;
	/** Why the checkpoint folder could not be kept as the command left it, if that was requested. */
	unkept?: string;
	/** Set when the command exited with 0 but a declared output is missing or could not be uploaded: why, as text for people. */
	outputProblem?: string;
}

export type FinalAttemptState = Extract<AttemptState, "succeeded" | "failed" | "interrupted" | "evicted" | "cancelled" | "lost">;

/**
 * The outcome of an attempt. If `stopReason` is set, we or the provider stopped it and the exit code is ignored: many
 * programs exit with 0 after saving a checkpoint, with their work unfinished. `exit` null: the machine ended without
 * reporting the command's exit.
 */
export function outcomeOf(stopReason: Reason | null, exit: Exit | null): { state: FinalAttemptState; reason: Reason } {
	if (stopReason) return { state: stateAfterStop(stopReason), reason: stopReason };
	if (!exit) return { state: "lost", reason: reason("instance_vanished") };
	if (exit.error !== null)
		return {
			state: "failed",
			reason: reason(codeOfFailure(exit.failedAt), { message: exit.error.slice(0, 500) }),
		};
	if (exit.outOfMemory) return { state: "failed", reason: reason("out_of_memory") };
	if (exit.signal !== null) return { state: "failed", reason: reason("killed_by_signal", { signal: exit.signal }) };
	if (exit.code === 0 && exit.outputProblem !== undefined)
		return { state: "failed", reason: reason("outputs_not_kept", { message: exit.outputProblem.slice(0, 500) }) };
	if (exit.code === 0) return { state: "succeeded", reason: reason("completed") };
	return { state: "failed", reason: reason("exit_nonzero", { exitCode: exit.code }) };
}

function codeOfFailure(at: Exit["failedAt"]): "staging_failed" | "image_pull_failed" | "command_not_started" {
	if (at === "staging") return "staging_failed";
	return at === "image" ? "image_pull_failed" : "command_not_started";
}

function stateAfterStop(stopReason: Reason): FinalAttemptState {
	switch (stopReason.code) {
		case "cancelled_by_person":
			return "cancelled";
		case "max_duration_exceeded":
		case "instance_idle":
		case "gpu_utilisation_low":
		case "staging_failed":
		case "gang_member_failed":
			return "failed";
		case "spot_interruption":
			return "interrupted";
		case "agent_silent":
		case "instance_vanished":
		case "site_lost":
			return "lost";
		default:
			return "evicted";
	}
}

/** The next state of a job when its attempt ended this way. Interrupted work is queued again; a cancel is final. */
export function jobAfter(attempt: FinalAttemptState, options: { cancelRequested: boolean; attempts: number }): JobState {
	if (options.cancelRequested && attempt !== "succeeded") return "cancelled";
	switch (attempt) {
		case "succeeded":
			return "succeeded";
		case "failed":
			return "failed";
		case "cancelled":
			return "cancelled";
		case "interrupted":
		case "evicted":
		case "lost":
			return options.attempts >= ATTEMPTS_MAX ? "failed" : "queued";
	}
}
