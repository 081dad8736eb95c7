import type { Reason } from "#server/domain/reasons.ts";
import type { KeptRoom } from "./types.ts";

/** Room facts written with the reason of every job that leaves for it, so that they survive the process that decided it. */
export function roomFacts({ poolId, slots }: Pick<KeptRoom, "poolId" | "slots">): Reason["facts"] {
	return { poolId, slots: slots.join(",") };
}
