import type { ChargeDraft } from "#server/accounting/amounts.ts";
import type { World } from "../world.ts";

/** What a run has come to, beside the world itself. */
export interface Observed {
	world: World;
	/** All charges so far, in the order in which they were written. */
	charges: readonly ChargeDraft[];
}

/**
 * One promise, checked against the world after every event by separate code: it shares no logic with what it checks.
 * Returns what is broken, with the relevant ids, or null.
 */
export interface Checker {
	name: string;
	after(seen: Observed): string | null;
	/** When everything has come to rest and the books are closed. */
	atEnd(seen: Observed): string | null;
}
