import type { Reason } from "#server/domain/reasons.ts";
import type { KeptRoom } from "./types.ts";

/** What of a room is written with the reason of everyone who leaves for it, so that it outlives the process that decided it. */
export function roomFacts({ poolId, slots }: Pick<KeptRoom, "poolId" | "slots">): Reason["facts"] {
	return { poolId, slots: slots.join(",") };
}
