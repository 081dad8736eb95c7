import type { Reason } from "#server/domain/reasons.ts";
import type { KeptRoom } from "./types.ts";

/** Facts about the room, stored with the stop reason of every evicted attempt, so that they survive a restart of the scheduler. */
export function roomFacts({ poolId, slots }: Pick<KeptRoom, "poolId" | "slots">): Reason["facts"] {
	return { poolId, slots: slots.join(",") };
}
