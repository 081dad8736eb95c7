/** A job in the cluster's own queue, waiting or running. Text values are the site's own. */
export interface ForeignJob {
	/** The site's id: Slurm's number, or the uid of a Kubernetes Job. Unique while the site knows the job. */
	id: string;
	name: string;
	user: string;
	/** Slurm's partition, Kubernetes' namespace. */
	partition: string;
	/** The site's pool in which it waits or runs; null: it requests nothing from a pool used here. */
	poolId: string | null;
	/** `held`: it waits until a person releases it. */
	state: "waiting" | "held" | "running";
	/** The site's reason for waiting or holding, e.g. `Resources`. Null while it runs. */
	waitingReason: string | null;
	nodes: number;
	/** On all nodes together. */
	gpus: number;
	/** Slots of the pool that it holds, ascending, as far as the site reports them. They are among the pool's unavailable slots. */
	slots: number[];
	/** Position among waiting jobs, 0 starts next; null while it runs. */
	position: number | null;
	submittedAtMs: number | null;
	startedAtMs: number | null;
	timeLimitMs: number | null;
	/** The owner's opt-in to adoption: a Slurm comment, or the value of a label. Null: none. */
	optIn: string | null;
	/** The marker set by our `hold`; null: not held by Spillway. */
	holdMark: string | null;
	/** The array that it belongs to: `task` is a number, or the tasks without a separate job yet, e.g. `1-20%4`. */
	array: { id: string; task: string } | null;
	/** Id of the heterogeneous job that it is a component of. Components start together. */
	groupId: string | null;
	/** Dependencies, e.g. `afterok:12`; null: none. */
	dependsOn: string | null;
}

/** How a foreign job that ran elsewhere ended. */
export interface ForeignOutcome {
	outcome: "succeeded" | "failed" | "cancelled";
	exitCode: number | null;
	/** A one-line note left on the job for its owner. */
	comment: string;
}

/** Why Spillway does not adopt an otherwise eligible foreign job. */
export interface NotAdopted {
	atMs: number;
	/** The policy version under which this was found; a newer version evaluates the job again. */
	policyVersion: number;
	/** Sentences for its owner, at least one. */
	why: string[];
}

/** Slurm's reasons that free capacity alone does not resolve: a limit of the account, QOS or partition, or a license. */
const LIMIT = /^(Assoc|QOS|MaxMem|Licenses|Partition(Node|Time)Limit)/;

/** Whether a limit of the site, not a lack of capacity, keeps a job waiting there. */
export function waitsForLimit(waitingReason: string | null): boolean {
	return waitingReason !== null && LIMIT.test(waitingReason);
}
