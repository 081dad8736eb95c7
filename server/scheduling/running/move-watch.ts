import { costTermsOf } from "../cost.ts";
import { LIMITS } from "../limits.ts";
import type { RunTimeOf } from "../run-time.ts";
import type { ShapeOf } from "../shape.ts";
import type { RunningAttempt } from "../types.ts";
import { isCloud, isSettledHere, nextCheckpointOf } from "./attempt-facts.ts";
import { MoveBounds, type MoveTerms } from "./move-bounds.ts";
import type { ProvenOffers } from "./proven-offers.ts";
import type { Movable, RoomAtHome } from "./types.ts";

const NONE: readonly RunningAttempt[] = [];

/**
 * The cloud attempts, each with a time before which it is not moved to save money, so that a cycle checks few. That time is valid because
 * an attempt that has not started starts later than now, an announced checkpoint stays until it has passed, and a price in effect changes
 * only with the offers (RunningAttempt). It is recomputed when run times or shapes change. Cost: one comparison of numbers per cloud
 * attempt and cycle, and a few for those with a near checkpoint; two medians of a distribution per hour, and two more for each checkpoint
 * at which the bound of the hour allows a move.
 */
export class MoveWatch {
	readonly #attempts: RunningAttempt[] = [];
	readonly #notBeforeMs: number[] = [];
	/** The checkpoint at which a move may pay. */
	readonly #checkedMs: number[] = [];
	/** Upper bound on the savings of a move. */
	readonly #bounds: MoveBounds[] = [];
	readonly #places = new Map<RunningAttempt, number>();
	#shapeOf: ShapeOf | null = null;
	#runTimeOf: RunTimeOf | null = null;

	add(attempt: RunningAttempt): void {
		if (!isCloud(attempt) || !isSettledHere(attempt) || this.#places.has(attempt)) return;
		this.#places.set(attempt, this.#attempts.length);
		this.#attempts.push(attempt);
		this.#notBeforeMs.push(Number.NEGATIVE_INFINITY);
		this.#checkedMs.push(Number.NEGATIVE_INFINITY);
		this.#bounds.push(new MoveBounds());
	}

	remove(attempt: RunningAttempt): void {
		const place = this.#places.get(attempt);
		if (place === undefined) return;
		const last = this.#attempts.pop();
		const lastNotBeforeMs = this.#notBeforeMs.pop();
		const lastCheckedMs = this.#checkedMs.pop();
		const lastBounds = this.#bounds.pop();
		if (last === undefined || lastNotBeforeMs === undefined || lastCheckedMs === undefined || !lastBounds) return;
		this.#places.delete(attempt);
		if (last === attempt) return;
		this.#attempts[place] = last;
		this.#notBeforeMs[place] = lastNotBeforeMs;
		this.#checkedMs[place] = lastCheckedMs;
		this.#bounds[place] = lastBounds;
		this.#places.set(last, place);
	}

	/** Attempts that may be moved now, by time, their remaining run time and the maximum savings of a move. */
	movable(terms: MoveTerms, room: RoomAtHome, proven: ProvenOffers): Movable {
		proven.updateStarted();
		const due = this.#dueAt(terms);
		const { snapshot } = terms;
		const costs = costTermsOf(snapshot);
		const cheaper: RunningAttempt[] = [];
		let anyHome = false;
		for (const i of due) {
			const attempt = this.#attempts[i];
			const bounds = this.#bounds[i];
			if (!attempt || !bounds) continue;
			if (!anyHome && bounds.wide?.couldPayAtHome(snapshot, room) && bounds.near(attempt, terms)?.couldPayAtHome(snapshot, room))
				anyHome = true;
			if (!bounds.mayBeCheaper && !bounds.wide?.couldPayCheaper(snapshot, costs, proven)) continue;
			bounds.mayBeCheaper = true;
			if (bounds.near(attempt, terms)?.couldPayCheaper(snapshot, costs, proven)) cheaper.push(attempt);
		}
		return { home: anyHome ? due.flatMap((i) => this.#attempts[i] ?? []) : NONE, cheaper };
	}

	/** Indexes of the attempts that are due. */
	#dueAt(terms: MoveTerms): number[] {
		this.#forgetIfOther(terms);
		const { nowMs } = terms.snapshot;
		const due: number[] = [];
		for (let i = 0; i < this.#attempts.length; i++) {
			if ((this.#notBeforeMs[i] ?? 0) > nowMs) continue;
			const attempt = this.#attempts[i];
			if (!attempt) continue;
			// The checkpoint at which a move may pay has not passed.
			if ((this.#checkedMs[i] ?? 0) < nowMs) this.#notBeforeMs[i] = this.#nextLook(i, attempt, terms);
			if ((this.#notBeforeMs[i] ?? 0) <= nowMs) due.push(i);
		}
		return due;
	}

	#nextLook(i: number, attempt: RunningAttempt, terms: MoveTerms): number {
		const { nowMs } = terms.snapshot;
		const fromMs = movableFrom(attempt, nowMs);
		if (fromMs > nowMs) return fromMs;
		const atMs = nextCheckpointOf(attempt, nowMs) ?? nowMs;
		if (!this.#bounds[i]?.setNextCheckpoint(attempt, atMs, terms)) return atMs + 1;
		this.#checkedMs[i] = atMs;
		return fromMs;
	}

	#forgetIfOther({ shapeOf, runTimeOf }: MoveTerms): void {
		if (shapeOf === this.#shapeOf && runTimeOf === this.#runTimeOf) return;
		this.#shapeOf = shapeOf;
		this.#runTimeOf = runTimeOf;
		this.#notBeforeMs.fill(Number.NEGATIVE_INFINITY);
		this.#checkedMs.fill(Number.NEGATIVE_INFINITY);
		for (const bounds of this.#bounds) bounds.forget();
	}
}

/**
 * The time from which an attempt may be moved: past its first minutes, with a checkpoint near. A result later than now may be too early,
 * never too late.
 */
export function movableFrom(attempt: RunningAttempt, nowMs: number): number {
	const { startedAtMs } = attempt;
	if (startedAtMs === null) return nowMs + LIMITS.moveMinRunMs;
	if (nowMs - startedAtMs < LIMITS.moveMinRunMs) return startedAtMs + LIMITS.moveMinRunMs;
	const atMs = nextCheckpointOf(attempt, nowMs);
	// No checkpoint is announced, which may change at any time.
	if (atMs === null) return nowMs + 1;
	return atMs - LIMITS.moveCheckpointWithinMs;
}
