import type { CloudRun } from "../cost.ts";
import { LIMITS } from "../limits.ts";
import type { DeadlineState } from "./types.ts";

/** Before its launch on an offer. */
export interface BeforeStart {
	/** When it could be asked for, UTC ms. */
	atMs: number;
	deadlineMs: number;
	/** P90, without the restore. */
	workLeftMs: number;
	/** Until its data are on the machine; one that is taken back takes them along. */
	stagingMs: number;
	run: CloudRun;
}

/** A job that runs nowhere, as far as the margin of its deadline asks (safety.ts). */
export function stateBeforeStart({ atMs, deadlineMs, workLeftMs, stagingMs, run }: BeforeStart): DeadlineState {
	const changeover = run.start.p90Ms + stagingMs + LIMITS.restoreMs;
	return {
		nowMs: atMs,
		deadlineMs,
		workLeftMs,
		unsavedMs: 0,
		checkpointEveryMs: Math.min(run.checkpointEveryMs ?? Number.POSITIVE_INFINITY, workLeftMs),
		changeoverMs: { onDemand: changeover, spot: changeover, home: LIMITS.restoreMs },
		nextChoiceWithinMs: LIMITS.nextChoiceWithinMs,
		on: { kind: "none" },
		// Nothing of what spot costs or how it behaves is asked for the margin.
		zones: [],
		onDemandMicroUsdPerHour: null,
		home: null,
	};
}
