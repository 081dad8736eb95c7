/**
 * Whether a cluster's node accepts new jobs. `ready`: it does. `closed`: a person or a cluster rule keeps jobs off
 * (drained, cordoned, reserved, tainted). `down`: it does not respond, or lacks something it should have.
 */
export const NODE_STATES = ["ready", "closed", "down"] as const;
export type NodeState = (typeof NODE_STATES)[number];

export interface ClusterNode {
	/** The cluster's name for it. */
	name: string;
	/** Null: not in a pool that Spillway uses. */
	poolId: string | null;
	state: NodeState;
	/** The cluster's own description, e.g. `IDLE+DRAIN: Kill task failed`; null when there is none. */
	reason: string | null;
	/** Installed, working or not. */
	gpus: number;
	/** In use by any job, ours or not. */
	gpusUsed: number;
}
