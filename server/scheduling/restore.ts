import { LIMITS } from "./limits.ts";
import type { Snapshot } from "./types.ts";

/** From a started machine to work that continues from its checkpoint, ms: as the snapshot measured it, else LIMITS.restoreMs. */
export function restoreMsOf({ restoreMs = LIMITS.restoreMs }: Pick<Snapshot, "restoreMs">): number {
	return restoreMs;
}
