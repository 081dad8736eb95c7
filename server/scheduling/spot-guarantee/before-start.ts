import type { CloudRun } from "../cost.ts";
import { LIMITS } from "../limits.ts";
import { boundedWorkMs } from "../work-bound.ts";
import type { DeadlineState } from "./types.ts";

/** State before a launch on an offer. */
export interface BeforeStart {
	/** The earliest request, UTC ms. */
	atMs: number;
	deadlineMs: number;
	/** Time until its data is on the machine; a reclaimed machine loses it. */
	stagingMs: number;
	run: CloudRun;
}

/** The same for work that moves: the remaining run starts with the restore. */
export function stateBeforeMove(given: BeforeStart): ReturnType<typeof stateBeforeStart> {
	const { run } = given;
	const without = (ms: number): number => Math.max(0, ms - run.restoreMs);
	return stateBeforeStart({ ...given, run: { ...run, rest: { p50Ms: without(run.rest.p50Ms), p90Ms: without(run.rest.p90Ms) } } });
}

/**
 * A job that runs nowhere, with the inputs of its deadline's margin (safety.ts). null: no possible run of it meets the deadline, even on
 * firm capacity from now on.
 */
export function stateBeforeStart({ atMs, deadlineMs, stagingMs, run }: BeforeStart): (DeadlineState & { on: { kind: "none" } }) | null {
	const startMs = run.start.p90Ms + stagingMs;
	const changeover = startMs + run.restoreMs;
	// Before the first checkpoint there is nothing to restore.
	const firm = run.restores ? changeover : startMs;
	const workLeftMs = boundedWorkMs(run.rest, run.length, deadlineMs - atMs - firm);
	if (workLeftMs === null) return null;
	return {
		nowMs: atMs,
		deadlineMs,
		workLeftMs,
		unsavedMs: 0,
		checkpointEveryMs: Math.min(run.checkpointEveryMs ?? Number.POSITIVE_INFINITY, workLeftMs),
		changeoverMs: { onDemand: firm, spot: changeover, home: run.restores ? run.restoreMs : 0 },
		nextChoiceWithinMs: LIMITS.nextChoiceWithinMs,
		on: { kind: "none" },
		// The margin does not depend on the price or behavior of spot.
		zones: [],
		onDemandMicroUsdPerHour: null,
		home: null,
	};
}
