/**
 * How a node of a cluster stands to new jobs. `ready`: it takes them. `closed`: somebody, or a rule of the cluster, keeps them off
 * (drained, cordoned, reserved, tainted). `down`: it does not answer, or has not what it should have.
 */
export const NODE_STATES = ["ready", "closed", "down"] as const;
export type NodeState = (typeof NODE_STATES)[number];

export interface ClusterNode {
	/** The cluster's own. */
	name: string;
	/** Null: no pool that Spillway uses has it. */
	poolId: string | null;
	state: NodeState;
	/** The cluster's own words for it, e.g. `IDLE+DRAIN: Kill task failed`; null where there is nothing to say. */
	reason: string | null;
	/** That it has, whether they work or not. */
	gpus: number;
	/** By anybody's jobs. */
	gpusUsed: number;
}
