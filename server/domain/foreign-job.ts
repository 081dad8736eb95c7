/** A job of the cluster's own queue, waiting or running. Words are the site's own. */
export interface ForeignJob {
	/** The site's id: Slurm's number, a Kubernetes Job's uid. No other job has it as long as the site knows this one. */
	id: string;
	name: string;
	user: string;
	/** Slurm's partition, Kubernetes' namespace. */
	partition: string;
	/** The pool of this site in which it waits or runs; null: it asks for nothing of a pool that is used here. */
	poolId: string | null;
	/** `held`: it waits, and does not start before somebody releases it. */
	state: "waiting" | "held" | "running";
	/** The site's word for why it waits or is held, e.g. `Resources`. Null when it runs. */
	waitingReason: string | null;
	nodes: number;
	/** On all nodes together. */
	gpus: number;
	/** Slots of the pool that it holds, ascending, as far as the site reports; they are among the pool's unavailable ones. */
	slots: number[];
	/** Its place among those that wait, 0 starts next; null when it runs. */
	position: number | null;
	submittedAtMs: number | null;
	startedAtMs: number | null;
	timeLimitMs: number | null;
	/** What its owner wrote to say that Spillway may take it elsewhere: a Slurm comment, the value of a label. Null: nothing. */
	optIn: string | null;
	/** The mark of our `hold`, while it is set; null: not held by Spillway. */
	holdMark: string | null;
	/** The array that it is (a part of): `task` is a number, or the tasks without a separate job yet, e.g. `1-20%4`. */
	array: { id: string; task: string } | null;
	/** It is a part of a job of unequal parts, which start together: the id of the whole. */
	groupId: string | null;
	/** What it waits for, e.g. `afterok:12`; null: for nothing. */
	dependsOn: string | null;
}

/** How a job of others ended that ran elsewhere. */
export interface ForeignOutcome {
	outcome: "succeeded" | "failed" | "cancelled";
	exitCode: number | null;
	/** What is left on the job for its owner, one line. */
	comment: string;
}

/** Why Spillway leaves a job of others alone that could be adopted otherwise. */
export interface NotAdopted {
	atMs: number;
	/** The policy's version under which this was found; a newer one asks again. */
	policyVersion: number;
	/** Sentences for its owner, at least one. */
	why: string[];
}

/** Slurm's words for jobs that room alone would not start: a limit of their account, QOS or partition, or a licence. */
const LIMIT = /^(Assoc|QOS|MaxMem|Licenses|Partition(Node|Time)Limit)/;

/** Whether a limit of the site's, and no want of room, keeps a job waiting there. */
export function waitsForLimit(waitingReason: string | null): boolean {
	return waitingReason !== null && LIMIT.test(waitingReason);
}
