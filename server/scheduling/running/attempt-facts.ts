import { delayMicroUsdPerHourOf } from "../cost.ts";
import type { Shape } from "../shape.ts";
import type { RunningAttempt, Snapshot, TimeSpread } from "../types.ts";

/** Decisions about attempts are ordered by id, so that the order of the snapshot's list does not matter. */
export function byAttemptId(a: RunningAttempt, b: RunningAttempt): number {
	return a.attemptId < b.attemptId ? -1 : a.attemptId > b.attemptId ? 1 : 0;
}

export function isCloud(attempt: RunningAttempt): boolean {
	return attempt.placement.poolId === null;
}

/** Whether the attempt is not stopping yet. */
export function isSettledHere(attempt: RunningAttempt): boolean {
	return !attempt.stopping && (attempt.movingTo ?? null) === null;
}

/** When it can leave without losing work: its next checkpoint, or null when none is known. Never in the past. */
export function nextCheckpointOf(attempt: RunningAttempt, nowMs: number): number | null {
	const at = attempt.nextCheckpointAtMs ?? null;
	return at === null ? null : Math.max(at, nowMs);
}

/** Remaining work at a later moment, with `afterMs` of it done; 0 when it is expected to have ended by then. */
export function restAt(rest: TimeSpread, afterMs: number): TimeSpread {
	return { p50Ms: Math.max(0, rest.p50Ms - afterMs), p90Ms: Math.max(0, rest.p90Ms - afterMs) };
}

/** Cost of a job's delay, µ$ in plain numbers; below 0 when time is gained. */
export function delayCostMicroUsd(snapshot: Snapshot, { verdict }: Pick<Shape, "verdict">, delayMs: number): number {
	return (delayMicroUsdPerHourOf(verdict, snapshot) * delayMs) / 3_600_000;
}

/**
 * Cost of this much work (ms at speed 1) for a cloud attempt at its price in effect, µ$ in plain numbers; null when the price
 * is unknown.
 */
export function costOfRest(attempt: RunningAttempt, restMs: number): number | null {
	const price = attempt.microUsdPerHour ?? null;
	return price === null ? null : (Number(price) * restMs) / (attempt.speed ?? 1) / 3_600_000;
}
