import type { HomePool } from "./home-pool.ts";
import type { RunningAttempt } from "./types.ts";

/** Room that evictions make for one job: the nodes on which it will start together, and the victims. */
export interface Eviction {
	pool: HomePool;
	nodes: number[];
	/** Slots reserved for it from now on: the victims' and the free ones. */
	slots: number[];
	victims: RunningAttempt[];
	ruleId: string;
	/** For a deadline; otherwise for a newcomer. */
	urgent: boolean;
	/** When the last of them is expected to end. */
	startMs: number;
}
