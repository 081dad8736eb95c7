import type { TimeRange } from "#server/domain/decision.ts";
import { gpusOf } from "#server/domain/job.ts";
import type { Holder, HomePool } from "./home-pool.ts";
import { endOfAttempt, type RunTimeOf, unknownEndTime } from "./run-time.ts";
import { MoveWatch } from "./running/move-watch.ts";
import { ProvenOffers } from "./running/proven-offers.ts";
import { earliestLimitMs } from "./stop.ts";
import type { ForeignJob, RunningAttempt } from "./types.ts";

/** Slots of a pool and their holder. */
interface Held {
	pool: HomePool;
	holder: Holder;
}

/** A list tracked from cycle to cycle, with the value derived from each item. */
interface Followed<T, M> {
	items: T[];
	made: M[];
}

/**
 * Holders of the owned pools' slots, kept between cycles. Of two consecutive lists, only entries that are not the same object are
 * processed.
 */
export class LiveWork {
	/** Live attempts of each job. */
	readonly jobs = new Map<string, number>();
	/** GPUs of all of them. */
	gpus = 0;
	/** GPUs at home by team. */
	readonly homeGpus = new Map<string, number>();
	/** Live attempts that may need an action: in the cloud, critical, or with a limit or their own measurement. */
	readonly watched: Iterable<RunningAttempt> = { [Symbol.iterator]: () => this.#watched.keys() };
	readonly #watched = new Map<RunningAttempt, number>();
	/** Live attempts that a person wants to move. */
	readonly requested: Iterable<RunningAttempt> = { [Symbol.iterator]: () => this.#requested.keys() };
	readonly #requested = new Map<RunningAttempt, number>();
	/** Cloud attempts, by when they may be moved. */
	readonly moves = new MoveWatch();
	/** Offers with running work. */
	readonly proven = new ProvenOffers();
	/** Before this time no attempt can exceed its limit. */
	quietUntilMs = Number.POSITIVE_INFINITY;
	readonly #pools: ReadonlyMap<string, HomePool>;
	readonly #running: Followed<RunningAttempt, readonly Held[]> = { items: [], made: [] };
	readonly #foreign: Followed<ForeignJob, readonly Held[]> = { items: [], made: [] };
	#runTimeOf: RunTimeOf;

	constructor(pools: readonly HomePool[], runTimeOf: RunTimeOf) {
		this.#pools = new Map(pools.map((pool) => [pool.view.id, pool]));
		this.#runTimeOf = runTimeOf;
	}

	read(running: readonly RunningAttempt[], foreign: readonly ForeignJob[], runTimeOf: RunTimeOf): void {
		if (runTimeOf !== this.#runTimeOf) {
			this.#runTimeOf = runTimeOf;
			for (const pool of this.#pools.values()) pool.forgetEnds();
		}
		follow(
			this.#running,
			running,
			(attempt) => this.#begin(attempt),
			(attempt, held) => this.#end(attempt, held),
		);
		follow(
			this.#foreign,
			foreign,
			(job) => this.#hold(job.startedAtMs === null ? null : job.poolId, job.slots, (nowMs) => endOfForeign(job, nowMs)),
			(_, held) => releaseHeld(held),
		);
	}

	/** The ended attempt may have been the first to exceed its limit; the time is recomputed when it is reached. */
	checkQuiet(nowMs: number): void {
		if (nowMs < this.quietUntilMs) return;
		this.quietUntilMs = Number.POSITIVE_INFINITY;
		for (const attempt of this.#watched.keys()) this.quietUntilMs = Math.min(this.quietUntilMs, earliestLimitMs(attempt));
	}

	#begin(attempt: RunningAttempt): readonly Held[] {
		add(this.jobs, attempt.jobId, 1);
		this.gpus += gpusOf(attempt.spec);
		if (attempt.moveRequest) add(this.#requested, attempt, 1);
		if (isWatched(attempt)) {
			add(this.#watched, attempt, 1);
			this.moves.add(attempt);
			this.proven.add(attempt);
			this.quietUntilMs = Math.min(this.quietUntilMs, earliestLimitMs(attempt));
		}
		const { poolId } = attempt.placement;
		if (poolId !== null) add(this.homeGpus, attempt.spec.team, gpusOf(attempt.spec));
		const held = this.#hold(poolId, attempt.slots, (nowMs, pool) => endOfAttempt(attempt, nowMs, this.#runTimeOf, pool), attempt);
		const to = attempt.movingTo ?? null;
		if (to?.kind !== "home") return held;
		// It continues there, so the place is reserved for its whole run.
		const goingOn = { ...attempt, stopping: false };
		return [...held, ...this.#hold(to.poolId, to.slots, (nowMs, pool) => endOfAttempt(goingOn, nowMs, this.#runTimeOf, pool))];
	}

	#end(attempt: RunningAttempt, held: readonly Held[]): void {
		add(this.jobs, attempt.jobId, -1);
		this.gpus -= gpusOf(attempt.spec);
		if (attempt.moveRequest) add(this.#requested, attempt, -1);
		if (this.#watched.has(attempt)) {
			add(this.#watched, attempt, -1);
			if (!this.#watched.has(attempt)) {
				this.moves.remove(attempt);
				this.proven.remove(attempt);
			}
		}
		if (attempt.placement.poolId !== null) add(this.homeGpus, attempt.spec.team, -gpusOf(attempt.spec));
		releaseHeld(held);
	}

	#hold(
		poolId: string | null,
		slots: readonly number[],
		end: (nowMs: number, pool: HomePool) => TimeRange,
		attempt: RunningAttempt | null = null,
	): readonly Held[] {
		const pool = poolId === null ? undefined : this.#pools.get(poolId);
		if (!pool || slots.length === 0) return NOTHING;
		const holder = holderOf(
			slots,
			attempt,
			() => this.#runTimeOf,
			(nowMs) => end(nowMs, pool),
		);
		pool.hold(holder);
		return [{ pool, holder }];
	}
}

const NOTHING: readonly Held[] = [];

function isWatched({ placement, spec, expiresAtMs = null, idleSinceMs = null, gpuUtilisation }: RunningAttempt): boolean {
	const bounded = spec.duration.maxMs !== null || expiresAtMs !== null || idleSinceMs !== null || gpuUtilisation !== undefined;
	return placement.poolId === null || spec.critical || bounded;
}

/** Keeps its end time until the median passes, or the run-time statistics change. */
function holderOf(
	slots: readonly number[],
	attempt: RunningAttempt | null,
	runTimes: () => RunTimeOf,
	endAt: (nowMs: number) => TimeRange,
): Holder {
	let known: TimeRange | null = null;
	let by: RunTimeOf | null = null;
	return {
		slots,
		attempt,
		losesMuchUntilMs: Number.NEGATIVE_INFINITY,
		losesLittleUntilMs: Number.NEGATIVE_INFINITY,
		end: (nowMs) => {
			if (known === null || known.p50Ms <= nowMs || by !== runTimes()) {
				by = runTimes();
				known = endAt(nowMs);
			}
			return known;
		},
	};
}

function releaseHeld(held: readonly Held[]): void {
	for (const { pool, holder } of held) pool.removeHolder(holder);
}

/** Until the limit that the site reports. Past it, or without one, the end is unknown. */
function endOfForeign(job: ForeignJob, nowMs: number): TimeRange {
	const limit = job.startedAtMs === null || job.limitMs === null ? null : job.startedAtMs + job.limitMs;
	return limit !== null && limit > nowMs ? { p50Ms: limit, p90Ms: limit } : unknownEndTime(nowMs);
}

function add<K>(counts: Map<K, number>, key: K, by: number): void {
	const sum = (counts.get(key) ?? 0) + by;
	if (sum === 0) counts.delete(key);
	else counts.set(key, sum);
}

/**
 * Updates `followed` to the next list, in one walk. It is cheap for the usual changes: one appended, one removed with the last in its place
 * or with all others shifted, one replaced, one inserted. Any other change also gives a correct result.
 */
function follow<T, M>({ items, made }: Followed<T, M>, next: readonly T[], begin: (item: T) => M, end: (item: T, made: M) => void): void {
	const drop = (i: number): void => {
		const [item, its] = [items[i], made[i]];
		if (item !== undefined && its !== undefined) end(item, its);
	};
	for (let i = firstDifference(items, next, 0); i < next.length; i = firstDifference(items, next, i + 1)) {
		const item = next[i];
		if (item === undefined) continue;
		const last = items.length - 1;
		if (i > last) {
			items.push(item);
			made.push(begin(item));
		} else if (i < last && items[last] === item) {
			drop(i);
			items[i] = item;
			const its = made.pop();
			if (its !== undefined) made[i] = its;
			items.pop();
		} else if (items[i + 1] === item) {
			drop(i);
			items.splice(i, 1);
			made.splice(i, 1);
		} else if (next[i + 1] === items[i]) {
			items.splice(i, 0, item);
			made.splice(i, 0, begin(item));
		} else {
			drop(i);
			items[i] = item;
			made[i] = begin(item);
		}
	}
	while (items.length > next.length) {
		drop(items.length - 1);
		items.pop();
		made.pop();
	}
}

/** The first index from `i` on at which two lists differ; the second list's length if none does. Most of a walk is this. */
function firstDifference<T>(items: readonly T[], next: readonly T[], i: number): number {
	let at = i;
	while (at < next.length && items[at] === next[at]) at++;
	return at;
}
