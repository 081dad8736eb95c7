import type { HomePool } from "./home-pool.ts";
import type { RunningAttempt } from "./types.ts";

/** Room that is made for one job: the nodes on which it will start together, and who leaves them. */
export interface Eviction {
	pool: HomePool;
	nodes: number[];
	/** Its own from now on: those that the victims hold, and those that are free already. */
	slots: number[];
	victims: RunningAttempt[];
	ruleId: string;
	/** For a deadline; otherwise for a newcomer. */
	urgent: boolean;
	/** When the last of them is expected to end. */
	startMs: number;
}
