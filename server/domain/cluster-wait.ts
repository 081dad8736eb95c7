/** Why a cluster's own scheduler lets an attempt wait. */
export interface ClusterWait {
	/** The cluster's word for it: Slurm's `Resources`, Kubernetes' `Unschedulable`, `Kueue Pending`. */
	reason: string;
	/** What it says more; empty where the word is all. */
	detail: string;
}
