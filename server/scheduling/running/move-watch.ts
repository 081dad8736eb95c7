import { LIMITS } from "../limits.ts";
import { medianRestOfAttempt, type RunTimeOf } from "../run-time.ts";
import type { ShapeOf } from "../shape.ts";
import type { RunningAttempt, Snapshot } from "../types.ts";
import { costOfRest, isCloud, isSettledHere, nextCheckpointOf } from "./attempt-facts.ts";
import { leastSaving } from "./moving-rule.ts";
import { mostSavedAtHome } from "./return-home.ts";

/** What tells whether a move could pay. */
export interface MoveTerms {
	snapshot: Snapshot;
	shapeOf: ShapeOf;
	runTimeOf: RunTimeOf;
}

/**
 * The cloud attempts, each with a time before which it is not moved to save money: so few are looked at in a cycle.
 * That time holds since an attempt that has not started starts later than now, a checkpoint that is announced stands until it
 * has passed, and a price in effect changes with the offers (RunningAttempt). It is worked out anew when run times or shapes are.
 * Cost: one comparison of numbers for each cloud attempt a cycle; one median of a distribution for each checkpoint that comes near.
 */
export class MoveWatch {
	readonly #attempts: RunningAttempt[] = [];
	readonly #notBeforeMs: number[] = [];
	/** The checkpoint that was found to be worth a look. */
	readonly #checkedMs: number[] = [];
	readonly #places = new Map<RunningAttempt, number>();
	#shapeOf: ShapeOf | null = null;
	#runTimeOf: RunTimeOf | null = null;

	add(attempt: RunningAttempt): void {
		if (!isCloud(attempt) || !isSettledHere(attempt) || this.#places.has(attempt)) return;
		this.#places.set(attempt, this.#attempts.length);
		this.#attempts.push(attempt);
		this.#notBeforeMs.push(Number.NEGATIVE_INFINITY);
		this.#checkedMs.push(Number.NEGATIVE_INFINITY);
	}

	remove(attempt: RunningAttempt): void {
		const place = this.#places.get(attempt);
		if (place === undefined) return;
		const last = this.#attempts.pop();
		const lastNotBeforeMs = this.#notBeforeMs.pop();
		const lastCheckedMs = this.#checkedMs.pop();
		if (last === undefined || lastNotBeforeMs === undefined || lastCheckedMs === undefined) return;
		this.#places.delete(attempt);
		if (last === attempt) return;
		this.#attempts[place] = last;
		this.#notBeforeMs[place] = lastNotBeforeMs;
		this.#checkedMs[place] = lastCheckedMs;
		this.#places.set(last, place);
	}

	/** Those that may be moved now as far as time and the length of their rest tell, in no order. */
	dueAt(terms: MoveTerms): RunningAttempt[] {
		this.#forgetIfOther(terms);
		const { nowMs } = terms.snapshot;
		const due: RunningAttempt[] = [];
		for (let i = 0; i < this.#attempts.length; i++) {
			if ((this.#notBeforeMs[i] ?? 0) > nowMs) continue;
			const attempt = this.#attempts[i];
			if (!attempt) continue;
			// The checkpoint that was found to be worth a look has not passed.
			if ((this.#checkedMs[i] ?? 0) < nowMs) this.#notBeforeMs[i] = this.#nextLook(i, attempt, terms);
			if ((this.#notBeforeMs[i] ?? 0) <= nowMs) due.push(attempt);
		}
		return due;
	}

	#nextLook(i: number, attempt: RunningAttempt, terms: MoveTerms): number {
		const { nowMs } = terms.snapshot;
		const fromMs = movableFrom(attempt, nowMs);
		if (fromMs > nowMs) return fromMs;
		const atMs = nextCheckpointOf(attempt, nowMs) ?? nowMs;
		if (!couldPay(attempt, atMs, terms)) return atMs + 1;
		this.#checkedMs[i] = atMs;
		return fromMs;
	}

	#forgetIfOther({ shapeOf, runTimeOf }: MoveTerms): void {
		if (shapeOf === this.#shapeOf && runTimeOf === this.#runTimeOf) return;
		this.#shapeOf = shapeOf;
		this.#runTimeOf = runTimeOf;
		this.#notBeforeMs.fill(Number.NEGATIVE_INFINITY);
		this.#checkedMs.fill(Number.NEGATIVE_INFINITY);
	}
}

/** From when on an attempt may be moved: past its first minutes, with a checkpoint near. A later moment than now may be too early, never too late. */
export function movableFrom(attempt: RunningAttempt, nowMs: number): number {
	const { startedAtMs } = attempt;
	if (startedAtMs === null) return nowMs + LIMITS.moveMinRunMs;
	if (nowMs - startedAtMs < LIMITS.moveMinRunMs) return startedAtMs + LIMITS.moveMinRunMs;
	const atMs = nextCheckpointOf(attempt, nowMs);
	// Nothing is announced: that may change at any time.
	if (atMs === null) return nowMs + 1;
	return atMs - LIMITS.moveCheckpointWithinMs;
}

/**
 * Whether any move at this checkpoint could save what a rule asks for, at any moment until then. The rest at the checkpoint, as it is expected
 * at t before it, is Q(t) − the work done at the checkpoint, where Q is the median length of the runs longer than what is done
 * at t: it only grows with t, so the rest that is asked at the checkpoint itself is the most. 2 ms bear the rounding.
 */
function couldPay(attempt: RunningAttempt, atMs: number, { snapshot, shapeOf, runTimeOf }: MoveTerms): boolean {
	const shape = shapeOf(attempt.spec);
	const { moves } = shape.verdict;
	const restMs = medianRestOfAttempt(attempt, atMs, runTimeOf) + 2;
	const hereMicroUsd = costOfRest(attempt, restMs);
	if (hereMicroUsd === null) return false;
	if (attempt.spec.deadlineMs === null && hereMicroUsd >= leastSaving(moves, "cheaper")) return true;
	return mostSavedAtHome(snapshot, shape, hereMicroUsd, restMs) >= leastSaving(moves, "home");
}
