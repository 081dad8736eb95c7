import { LIMITS } from "../limits.ts";
import { medianRestOfAttempt } from "../run-time.ts";
import type { Shape } from "../shape.ts";
import type { RunningAttempt } from "../types.ts";
import { costOfRest, nextCheckpointOf } from "./attempt-facts.ts";
import type { RunningInput } from "./types.ts";

/** A cloud attempt that may continue elsewhere from its next checkpoint. */
export interface Mover {
	attempt: RunningAttempt;
	shape: Shape;
	atMs: number;
	/** Median remaining time then, ms. */
	restMs: number;
	/** Its cost here at the price in effect; null: unknown. */
	hereMicroUsd: number | null;
}

/** Null if it has no near checkpoint, or a person requested another move. Cost: one median of a distribution. */
export function moverOf(
	{ snapshot: { nowMs }, runTimeOf, shapeOf }: Pick<RunningInput, "snapshot" | "runTimeOf" | "shapeOf">,
	attempt: RunningAttempt,
): Mover | null {
	const atMs = attempt.moveRequest ? null : nextCheckpointOf(attempt, nowMs);
	if (atMs === null || atMs - nowMs > LIMITS.moveCheckpointWithinMs) return null;
	const restMs = Math.max(0, medianRestOfAttempt(attempt, nowMs, runTimeOf) - (atMs - nowMs));
	return { attempt, shape: shapeOf(attempt.spec), atMs, restMs, hereMicroUsd: costOfRest(attempt, restMs) };
}
