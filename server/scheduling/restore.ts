import { LIMITS } from "./limits.ts";
import type { Snapshot } from "./types.ts";

/** Time from a started machine to work that continues from its checkpoint, ms: the snapshot's measurement, else LIMITS.restoreMs. */
export function restoreMsOf({ restoreMs = LIMITS.restoreMs }: Pick<Snapshot, "restoreMs">): number {
	return restoreMs;
}
