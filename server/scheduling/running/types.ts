import type { JobSpec } from "#server/domain/job.ts";
import type { BudgetBook } from "../budget.ts";
import type { AskApproval } from "../choose-offer.ts";
import type { RunTimeOf } from "../run-time.ts";
import type { Shape } from "../shape.ts";
import type { DecideMemo, RunningAttempt, Snapshot, TimeSpread } from "../types.ts";
import type { ProvenOffers } from "./proven-offers.ts";

/**
 * Access to the cycle for decisions about running attempts. Calls of one cycle share the budget book and the room at home with
 * the queue: each sees the other's allocations.
 */
export interface RunningInput {
	snapshot: Snapshot;
	/** Live attempts that anything may have to be done about, of snapshot.running; absent: all of them. */
	watched?: Iterable<RunningAttempt>;
	/** Those that may be moved now, by time, their rest and this room; absent: all are checked. */
	movable?: (room: RoomAtHome) => Movable;
	/** GPUs of snapshot.running; absent: added up. */
	runningGpus?: number;
	/** Offers on which work of snapshot.running runs; absent: looked up in it. */
	proven?: ProvenOffers;
	/** Before this time none of them can break a bound (stop.ts); absent: unknown. */
	quietUntilMs?: number;
	/** Kept per spec by the cycle. */
	shapeOf: (spec: JobSpec) => Shape;
	runTimeOf: RunTimeOf;
	/**
	 * Room in which the attempt's job could start now without delaying any job that the cycle placed or forecast so far; null:
	 * none. `restOf`: its remaining time; called only where enough is free on enough nodes.
	 */
	roomFor: (attempt: Pick<RunningAttempt, "spec" | "homePoolId">, restOf: () => TimeSpread) => HomeRoom | null;
	/** Whether there certainly is such room, however long it is needed. False where that has to be worked out. */
	isRoomFor: (spec: JobSpec) => boolean;
	/** GPUs in healthy pools that are free and not reserved, after earlier allocations. */
	freeGpus: () => number;
	budgets: BudgetBook;
	askApproval: AskApproval;
	/** Attempts that got an action in this cycle already: they get none here. */
	settled: ReadonlySet<string>;
	memo?: DecideMemo | undefined;
}

export interface HomeRoom {
	poolId: string;
	/** PoolView.speed. */
	speed: number;
	/** Takes the room and returns its slots, on whole nodes. At most one call before the next call of roomFor. */
	take: () => number[];
}

/** Attempts that a move could pay for. */
export interface Movable {
	/** All that time lets go, in no order, when it could pay for any of them to go home; no one otherwise. */
	home: readonly RunningAttempt[];
	/** Each attempt for which a cheaper offer could pay. */
	cheaper: readonly RunningAttempt[];
}

/** Room at home for returning work: GPUs, and how long the last of them is expected to stay free, ms. */
export interface RoomAtHome {
	gpus: number;
	idleForMs: number;
}
