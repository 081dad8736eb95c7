import { SpillwayError } from "#server/kernel/errors.ts";

/** The same error for a missing job and another team's, so that callers cannot distinguish them. */
export function noJob(jobId: string): SpillwayError {
	return new SpillwayError("not_found", `There is no job ${jobId}.`, { fix: "List jobs with: spillway jobs" });
}
