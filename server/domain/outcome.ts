import { type Reason, reason } from "./reasons.ts";
import type { AttemptState, JobState } from "./states.ts";

/** After this many attempts a job fails rather than being tried again forever. */
export const ATTEMPTS_MAX = 50;

/** After this many attempts in a row that saved nothing a job is held from the cloud until a person lets it continue. */
export const FRUITLESS_MAX = 2;

/** How the command of an attempt ended, as its supervisor saw it. */
export interface Exit {
	code: number | null;
	signal: string | null;
	/** Set when the command could not be started or its data not staged. */
	error: string | null;
	/** Where it failed when there is an error: staging its data, fetching its image or starting the command. */
	failedAt?: "staging" | "image" | "start";
	/** The machine's or container's memory was full, and the command was killed for it. */
	outOfMemory?: boolean;
	/** Why the checkpoint folder could not be kept as the command left it, where that was wanted. */
	unkept?: string;
	/** The command exited with 0 but a declared output is missing or could not be uploaded: why, for people. */
	outputProblem?: string;
}

export type FinalAttemptState = Extract<AttemptState, "succeeded" | "failed" | "interrupted" | "evicted" | "cancelled" | "lost">;

/**
 * What an attempt's end means. `stopReason` is set when we or the provider stopped it: then the exit code is not
 * asked, since many programs leave with 0 after saving a checkpoint and their work is not done.
 * `exit` null: the machine ended without reporting the command's exit.
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

/** Where the job goes when its attempt ended so. Work that was taken away is queued again; a person's cancel is final. */
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
