import type { JobView } from "#components/trpc/outputs.ts";

const RANK: Record<JobView["state"], number> = { held: 0, queued: 1, admitted: 2, running: 3, failed: 4, succeeded: 5, cancelled: 5 };

/** Jobs that need attention first: held, queued, starting, running, failed, then the other ended ones; newest first within each. */
export function myJobs(jobs: readonly JobView[]): JobView[] {
	return jobs.toSorted((a, b) => RANK[a.state] - RANK[b.state] || (a.submittedAt < b.submittedAt ? 1 : -1));
}
