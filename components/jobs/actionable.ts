import type { JobView } from "#components/trpc/outputs.ts";

type Actionable = Pick<JobView, "state" | "finishedAt" | "cancelRequestedAt"> & { reason: Pick<JobView["reason"], "code"> };

export function isLive(job: Actionable): boolean {
	return job.finishedAt === null && job.cancelRequestedAt === null;
}

/** Whether it is in the queue, also when a budget or a person holds it there. */
export function isWaiting(job: Actionable): boolean {
	return isLive(job) && (job.state === "queued" || job.state === "held");
}

export function isHeldByPerson(job: Actionable): boolean {
	return isLive(job) && job.state === "held" && job.reason.code === "held_by_person";
}

export function canHold(job: Actionable): boolean {
	return isWaiting(job) && !isHeldByPerson(job);
}

/** Held because it stopped making progress, until a person resumes it. */
export function isStuck(job: Actionable): boolean {
	return isLive(job) && job.state === "held" && job.reason.code === "no_progress";
}
