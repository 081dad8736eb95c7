import type { Db } from "#server/db/client.ts";
import type { Clock } from "#server/kernel/clock.ts";
import type { Timing } from "../timing.ts";

export type AgentTiming = Pick<Timing, "heartbeatMs" | "stopGraceMs" | "controlSilenceMs">;

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
