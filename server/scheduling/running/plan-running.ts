import type { Action } from "../types.ts";
import type { RunningInput } from "./types.ts";

/**
 * What is done about running attempts, in two steps of a cycle.
 * `planUrgent`, before the queue is walked: what must not wait for others (bounds that were broken, caps of budgets,
 * failover, deadlines on spot). `planRunning`, after it: moves that save money, in the room that the queue leaves.
 * No attempt gets two actions, of both together, as long as the ids of the first are in `settled` of the second.
 */
export function planUrgent(_input: RunningInput): Action[] {
	return [];
}

export function planRunning(_input: RunningInput): Action[] {
	return [];
}
