import type { TimeRange } from "#server/domain/decision.ts";
import { gpusOf } from "#server/domain/job.ts";
import type { Holder, HomePool } from "./home-pool.ts";
import { endOfAttempt, endOfUnknown, type RunTimeOf } from "./run-time.ts";
import type { ForeignJob, RunningAttempt } from "./types.ts";

/** Slots that something holds in a pool. */
interface Held {
	pool: HomePool;
	holder: Holder;
}

/** A list that is followed from cycle to cycle, with what was made of each of its items. */
interface Followed<T, M> {
	items: T[];
	made: M[];
}

/**
 * What holds the slots of the owned pools, kept from cycle to cycle: of two lists that follow each other only what is
 * not the same object in both is looked at.
 */
export class LiveWork {
	/** Live attempts of each job. */
	readonly jobs = new Map<string, number>();
	/** GPUs at home by team. */
	readonly homeGpus = new Map<string, number>();
	/** Live attempts that something may have to be done about: in the cloud, critical, or with a bound or a measurement of their own. */
	readonly watched: Iterable<RunningAttempt> = { [Symbol.iterator]: () => this.#watched.keys() };
	readonly #watched = new Map<RunningAttempt, number>();
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
			(_, held) => letGo(held),
		);
	}

	#begin(attempt: RunningAttempt): readonly Held[] {
		add(this.jobs, attempt.jobId, 1);
		if (isWatched(attempt)) add(this.#watched, attempt, 1);
		const { poolId } = attempt.placement;
		if (poolId !== null) add(this.homeGpus, attempt.spec.team, gpusOf(attempt.spec));
		const held = this.#hold(poolId, attempt.slots, (nowMs, pool) => endOfAttempt(attempt, nowMs, this.#runTimeOf, pool), attempt);
		const to = attempt.movingTo ?? null;
		if (to?.kind !== "home") return held;
		// It goes on there: the place is kept as long as it would run on.
		const goingOn = { ...attempt, stopping: false };
		return [...held, ...this.#hold(to.poolId, to.slots, (nowMs, pool) => endOfAttempt(goingOn, nowMs, this.#runTimeOf, pool))];
	}

	#end(attempt: RunningAttempt, held: readonly Held[]): void {
		add(this.jobs, attempt.jobId, -1);
		if (this.#watched.has(attempt)) add(this.#watched, attempt, -1);
		if (attempt.placement.poolId !== null) add(this.homeGpus, attempt.spec.team, -gpusOf(attempt.spec));
		letGo(held);
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

/** Keeps its end until the median passes, or what tells run times has changed. */
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
		end: (nowMs) => {
			if (known === null || known.p50Ms <= nowMs || by !== runTimes()) {
				by = runTimes();
				known = endAt(nowMs);
			}
			return known;
		},
	};
}

function letGo(held: readonly Held[]): void {
	for (const { pool, holder } of held) pool.letGo(holder);
}

/** Until the limit that the site knows; past it, or without one, nobody can say. */
function endOfForeign(job: ForeignJob, nowMs: number): TimeRange {
	const limit = job.startedAtMs === null || job.limitMs === null ? null : job.startedAtMs + job.limitMs;
	return limit !== null && limit > nowMs ? { p50Ms: limit, p90Ms: limit } : endOfUnknown(nowMs);
}

function add<K>(counts: Map<K, number>, key: K, by: number): void {
	const sum = (counts.get(key) ?? 0) + by;
	if (sum === 0) counts.delete(key);
	else counts.set(key, sum);
}

/**
 * Brings `followed` to the next list. Items that stand in both in the same order are found by walking both at once: one
 * that was taken out, put in or exchanged costs one step; any other change is right too, and only costs more.
 */
function follow<T, M>(followed: Followed<T, M>, next: readonly T[], begin: (item: T) => M, end: (item: T, made: M) => void): void {
	const { items, made } = followed;
	let same = 0;
	while (same < items.length && same < next.length && items[same] === next[same]) same++;
	if (same === items.length && same === next.length) return;
	const [oldItems, oldMade] = [items.slice(same), made.slice(same)];
	items.length = same;
	made.length = same;
	let i = 0;
	const drop = (): void => {
		const [item, its] = [oldItems[i], oldMade[i]];
		if (item !== undefined && its !== undefined) end(item, its);
		i++;
	};
	const carry = (item: T): void => {
		const its = oldMade[i++];
		items.push(item);
		made.push(its === undefined ? begin(item) : its);
	};
	for (let j = same; j < next.length; j++) {
		const item = next[j];
		if (item === undefined) continue;
		if (oldItems[i] !== item && i < oldItems.length) {
			if (oldItems[i + 1] === item) drop();
			else if (next[j + 1] !== oldItems[i]) drop();
		}
		if (i < oldItems.length && oldItems[i] === item) carry(item);
		else {
			items.push(item);
			made.push(begin(item));
		}
	}
	while (i < oldItems.length) drop();
}
