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
	/** Live attempts of snapshot.running that may need an action; absent: all of them. */
	watched?: Iterable<RunningAttempt>;
	/** Attempts that may be moved now, by time, their remaining run time and this room; absent: all are checked. */
	movable?: (room: RoomAtHome) => Movable;
	/** Attempts of snapshot.running that a person wants to move; absent: looked up in it. */
	requested?: Iterable<RunningAttempt>;
	/** GPUs of snapshot.running; absent: computed. */
	runningGpus?: number;
	/** Offers that run work of snapshot.running; absent: looked up in it. */
	proven?: ProvenOffers;
	/** Before this time none of them can exceed a limit (stop.ts); absent: unknown. */
	quietUntilMs?: number;
	/** Cached per spec by the cycle. */
	shapeOf: (spec: JobSpec) => Shape;
	runTimeOf: RunTimeOf;
	/**
	 * Room in which the attempt's job could start now without delaying any job that the cycle has placed or forecast so far; null: none.
	 * `restOf`: its remaining time; called only if enough is free on enough nodes.
	 */
	roomFor: (attempt: Pick<RunningAttempt, "spec" | "homePoolId">, restOf: () => TimeSpread) => HomeRoom | null;
	/** Whether such room certainly exists, however long it is needed. False when that must be computed. */
	isRoomFor: (spec: JobSpec) => boolean;
	/** GPUs in healthy pools that are free and not reserved, after earlier allocations. */
	freeGpus: () => number;
	budgets: BudgetBook;
	askApproval: AskApproval;
	/** Attempts that already got an action in this cycle: they get none here. */
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
	/** All attempts that may move now by time, unordered, if going home could pay for any of them; otherwise none. */
	home: readonly RunningAttempt[];
	/** Attempts for which a cheaper offer could pay. */
	cheaper: readonly RunningAttempt[];
}

/** Room at home for returning work: GPUs, and how long the last of them is expected to stay free, ms. */
export interface RoomAtHome {
	gpus: number;
	idleForMs: number;
}
