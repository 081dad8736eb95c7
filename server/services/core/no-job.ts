import { SpillwayError } from "#server/kernel/errors.ts";

/** For a job that is missing or another team's: the two look the same. */
export function noJob(jobId: string): SpillwayError {
	return new SpillwayError("not_found", `There is no job ${jobId}.`, { fix: "List jobs with: spillway jobs" });
}
