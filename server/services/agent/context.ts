import type { Db } from "#server/db/client.ts";
import type { Clock } from "#server/kernel/clock.ts";

export interface AgentTiming {
	/** Between two beats of an agent. */
	heartbeatMs: number;
	/** What a command gets between SIGTERM and SIGKILL. */
	stopGraceMs: number;
	/** Without any answer for this long an agent ends its machine. */
	controlSilenceMs: number;
}

export const DEFAULT_AGENT_TIMING: AgentTiming = { heartbeatMs: 5_000, stopGraceMs: 90_000, controlSilenceMs: 6 * 60 * 60_000 };

/** What the services for agents get. */
export interface AgentContext {
	db: Db;
	clock: Clock;
	/** Key from which secrets of instances are derived. */
	secretKey: string;
	/** Root folder of the checkpoint store. */
	checkpointRoot: string;
	timing: AgentTiming;
}
