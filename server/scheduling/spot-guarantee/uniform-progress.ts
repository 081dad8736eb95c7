import { allowsSpot, marginMs } from "./safety.ts";
import type { DeadlineState } from "./types.ts";

/** Input of Uniform Progress besides the state. `locked` is its own memory: on-demand until the end. */
export interface UniformProgressJob {
	startedAtMs: number;
	workMs: number;
	locked: boolean;
	/** Its d, ms. Absent: boot, restore, and the work that an interruption loses on average, as the paper defines it (3.1). */
	changeoverMs?: number;
}

/**
 * Two readings of the hysteresis. `paper`: on on-demand, stay until cp(t) ≥ ep(t + 2d); then spot if it is up, else idle.
 * `simulator`: as in the authors' public simulator, on-demand is also kept while no spot is up.
 */
export type UniformProgressReading = "paper" | "simulator";

export type UniformProgressChoice = { on: "spot"; zoneId: string } | { on: "on_demand" } | { on: "wait" };

/**
 * Uniform Progress of "Can't Be Late: Optimizing Spot Instance Savings under Deadlines" (Wu et al., NSDI '24, 3.3 and 5.2), for one zone;
 * the baseline. cp: work done, ep(t) = t · C(0) / R(0), d: the changeover with "any potential progress loss".
 * 1. Safety net: when not on spot and the time left no longer allows a start on spot, on-demand until the end. The paper's C + 2d, with the
 * loss since the last checkpoint and the time to the next choice counted as for every other strategy here.
 * 2. Exploitation: on spot, stay until it is reclaimed.
 * 3. Taking risks: spot whenever it is up, but on on-demand only once cp(t) ≥ ep(t + 2d) (hysteresis).
 * 4. Uniform progress: no spot and cp(t) < ep(t): on-demand; ahead of that: wait.
 */
export function chooseUniformProgress(
	state: DeadlineState,
	job: UniformProgressJob,
	reading: UniformProgressReading,
): UniformProgressChoice {
	const { on } = state;
	const zone = state.zones[0];
	if (on.kind === "spot" && zone?.up && on.zoneId === zone.id)
		return allowsSpot(state) ? { on: "spot", zoneId: zone.id } : { on: "on_demand" };
	const unsavedMs = on.kind === "on_demand" ? state.unsavedMs : 0;
	const neededMs = state.changeoverMs.spot + state.checkpointEveryMs + state.nextChoiceWithinMs;
	if (job.locked || marginMs(state) + unsavedMs < neededMs) {
		job.locked = true;
		return { on: "on_demand" };
	}
	const doneMs = job.workMs - state.workLeftMs + unsavedMs;
	const expectedMs = (atMs: number): number => ((atMs - job.startedAtMs) * job.workMs) / (state.deadlineMs - job.startedAtMs);
	if (on.kind === "on_demand") {
		const changeoverMs = job.changeoverMs ?? state.changeoverMs.onDemand + state.checkpointEveryMs / 2;
		const ahead = doneMs >= expectedMs(state.nowMs + 2 * changeoverMs);
		if (!ahead || (reading === "simulator" && !zone?.up)) return { on: "on_demand" };
	}
	if (zone?.up) return { on: "spot", zoneId: zone.id };
	return doneMs < expectedMs(state.nowMs) ? { on: "on_demand" } : { on: "wait" };
}
