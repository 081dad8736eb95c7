import { isOver, type SlurmJob } from "./mapper.ts";
import { isOurJobName } from "./submission.ts";

/** A job of the cluster's own queue: somebody else's, waiting or running. */
export interface ForeignJob {
	/** Slurm's number. */
	id: string;
	name: string;
	user: string;
	partition: string;
	state: "waiting" | "running";
	/** Why it waits: Slurm's own word, e.g. `Resources` or `JobHeldUser`. Null when it runs. */
	waitingReason: string | null;
	nodes: number;
	gpus: number;
	submittedAtMs: number | null;
	startedAtMs: number | null;
	timeLimitMs: number | null;
}

/** The queue in Slurm's order of numbers, without what is over and what Spillway submitted. */
export function foreignJobsOf(jobs: readonly SlurmJob[], ourUser: string): ForeignJob[] {
	return jobs
		.filter((j) => !isOver(j.state) && !(j.user === ourUser && isOurJobName(j.name)))
		.sort((a, b) => a.id - b.id)
		.map((j) => ({
			id: String(j.id),
			name: j.name,
			user: j.user,
			partition: j.partition,
			state: j.state === "PENDING" ? "waiting" : "running",
			waitingReason: j.state === "PENDING" ? j.reason : null,
			nodes: j.nodes,
			gpus: j.gpus,
			submittedAtMs: j.submittedAtMs,
			startedAtMs: j.startedAtMs,
			timeLimitMs: j.timeLimitMs,
		}));
}
