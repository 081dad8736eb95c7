import type { JobSpec } from "#server/domain/job.ts";
import type { PendingJob, Snapshot } from "../types.ts";

/** Ids of quoted jobs in the snapshot: they sort after every real job submitted before them. */
const ASKED = "job_zzzzzzzzzzzzzzzzzzzzzzzz";

/** The job as it would be queued if submitted now; `index` distinguishes jobs of one question. */
export function askedJob(spec: JobSpec, { nowMs }: Pick<Snapshot, "nowMs">, index = 0): PendingJob {
	return {
		jobId: `${ASKED}${String(index).padStart(2, "0")}`,
		spec,
		state: "queued",
		submittedAtMs: nowMs,
		pendingSinceMs: nowMs,
		nextAttemptNo: 1,
		completedMs: 0,
		avoidOffers: [],
		approvedMicroUsd: null,
	};
}
