import type { Outcome } from "#server/domain/decision.ts";
import type { Reason } from "#server/domain/reasons.ts";
import type { DueBurst } from "./burst.ts";
import type { OfferChoice } from "./choose-offer.ts";
import type { HomeCopy } from "./copy-home.ts";
import type { CloudRun } from "./cost.ts";
import type { Eviction } from "./eviction.ts";
import type { HomeStart } from "./home.ts";
import type { QueuedJob } from "./order.ts";
import type { Shape } from "./shape.ts";

/** The result for one job; `record` turns it into an action, a reason and an explanation. */
export interface Finding {
	queued: QueuedJob;
	shape: Shape;
	/** null: no cloud run was estimated. */
	run: CloudRun | null;
	start: HomeStart | null;
	due: DueBurst | null;
	choice: OfferChoice | null;
	outcome: Outcome;
	reason: Reason;
	/** It could start now but waits for a better hour; no slots are kept for it until then. */
	putOffUntilMs: number | null;
	/** Room that evictions make for it. */
	eviction: Eviction | null;
	/** It waits, and time alone gives it no reason to leave. */
	waitsOn: boolean;
	/** Data that its site at home must receive before it starts there. Absent: none. */
	homeCopy?: HomeCopy | null;
}
