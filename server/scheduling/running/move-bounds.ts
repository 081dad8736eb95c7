import { HOUR_MS } from "#server/kernel/units.ts";
import { medianRestOfAttempt, type RunTimeOf } from "../run-time.ts";
import type { ShapeOf } from "../shape.ts";
import type { RunningAttempt, Snapshot } from "../types.ts";
import { costOfRest } from "./attempt-facts.ts";
import { leastSaving } from "./moving-rule.ts";
import { PayBound } from "./pay-bound.ts";
import { mostSavedAtHome } from "./return-home.ts";

/** Covers the rounding of a remaining time to whole ms. */
const ROUNDING_MS = 2;
/** Period of checkpoints that share one bound. If that bound leaves a move open, each checkpoint gets its own. */
const WIDE_MS = HOUR_MS;

/** Inputs that show whether a move could pay. */
export interface MoveTerms {
	snapshot: Snapshot;
	shapeOf: ShapeOf;
	runTimeOf: RunTimeOf;
}

/**
 * Upper bound on the savings of moves of one attempt. While run times and shapes stay the same, the median of its whole length only grows
 * while it runs (couldPay). So the remaining time at any checkpoint within an hour lies between the median now minus the work of that hour,
 * and the median an hour from now minus the work done now.
 */
export class MoveBounds {
	/** Bound for all checkpoints until #wideUntilMs; null: no move could pay at any of them. */
	wide: PayBound | null = null;
	/** The wide bound allowed a cheaper offer; until it is recomputed only the bounds of single checkpoints are checked. */
	mayBeCheaper = false;
	#wideUntilMs = Number.NEGATIVE_INFINITY;
	#atMs = Number.NEGATIVE_INFINITY;
	/** Bound for the next checkpoint; undefined: not computed yet. */
	#near: PayBound | null | undefined;

	forget(): void {
		this.wide = null;
		this.#wideUntilMs = Number.NEGATIVE_INFINITY;
		this.#near = undefined;
	}

	/** Sets the next checkpoint. Returns false if no move could pay there. */
	setNextCheckpoint(attempt: RunningAttempt, atMs: number, terms: MoveTerms): boolean {
		this.#atMs = atMs;
		this.#near = undefined;
		if (atMs > this.#wideUntilMs) this.#widen(attempt, atMs + WIDE_MS, terms);
		return this.wide !== null;
	}

	near(attempt: RunningAttempt, terms: MoveTerms): PayBound | null {
		if (this.#near === undefined) {
			const { nowMs } = terms.snapshot;
			const mostMs = medianRestOfAttempt(attempt, this.#atMs, terms.runTimeOf);
			const leastMs = medianRestOfAttempt(attempt, nowMs, terms.runTimeOf) - (this.#atMs - nowMs);
			this.#near = boundOf(attempt, leastMs, mostMs, terms);
		}
		return this.#near;
	}

	#widen(attempt: RunningAttempt, untilMs: number, terms: MoveTerms): void {
		const aheadMs = untilMs - terms.snapshot.nowMs;
		const mostMs = medianRestOfAttempt(attempt, untilMs, terms.runTimeOf) + aheadMs;
		const leastMs = medianRestOfAttempt(attempt, terms.snapshot.nowMs, terms.runTimeOf) - aheadMs;
		this.#wideUntilMs = untilMs;
		this.wide = boundOf(attempt, leastMs, mostMs, terms);
		this.mayBeCheaper = false;
	}
}

/** Null: no remaining time between these two makes a move pay. */
function boundOf(attempt: RunningAttempt, leastMs: number, mostMs: number, terms: MoveTerms): PayBound | null {
	if (!couldPay(attempt, mostMs + ROUNDING_MS, terms)) return null;
	const left = { leastMs: Math.max(0, leastMs - ROUNDING_MS), mostMs: mostMs + ROUNDING_MS };
	return new PayBound(attempt, terms.shapeOf(attempt.spec), left);
}

/**
 * Whether any move at a checkpoint until then could save what a rule requires. The remaining time at the checkpoint, as expected at t
 * before it, is Q(t) − the work done at the checkpoint, where Q is the median length of the runs longer than the work done at t. It only
 * grows with t, so its value at the checkpoint itself is the maximum.
 */
function couldPay(attempt: RunningAttempt, mostMs: number, { snapshot, shapeOf }: MoveTerms): boolean {
	const shape = shapeOf(attempt.spec);
	const { moves } = shape.verdict;
	const hereMicroUsd = costOfRest(attempt, mostMs);
	if (hereMicroUsd === null) return false;
	if (hereMicroUsd >= leastSaving(moves, "cheaper")) return true;
	return mostSavedAtHome(snapshot, shape, hereMicroUsd, mostMs) >= leastSaving(moves, "home");
}
