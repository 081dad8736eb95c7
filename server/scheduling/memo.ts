import type { Policy } from "#server/domain/policy.ts";
import { type AskApproval, makeAskApproval } from "./choose-offer.ts";
import { openHome } from "./home.ts";
import { type HomePool, samePool } from "./home-pool.ts";
import { KeptQueue } from "./kept-queue.ts";
import { LiveWork } from "./live.ts";
import { sameMounts } from "./mounts.ts";
import { type Copies, copiesOf, sameCopies } from "./offer-residency.ts";
import { openOfferBook } from "./offers.ts";
import { KeptOrder, type QueuedJob, queuedJob, refreshQueued } from "./order.ts";
import { makeRunTimeOf, type RunTimeOf, remainingOf, replayedRestMs } from "./run-time.ts";
import { makeShapes, type ShapeOf } from "./shape.ts";
import type { DecideMemo, DurationStat, PendingJob, PoolView, Snapshot, TimeSpread } from "./types.ts";

interface PendingRest {
	readonly job: PendingJob;
	readonly rest: TimeSpread;
	readonly thin: boolean;
	/** Its queue entry when last requested. */
	queued: QueuedJob | null;
	/** Pool size that replayedMs is for; below 0: none yet. */
	slots: number;
	replayedMs: number;
}

/**
 * Working data of a cycle, updated with each snapshot instead of rebuilt. Everything kept is a function of unchanged objects (policy,
 * offers, attempts, specs, statistics) and of time steps, so a plan with a memo equals the plan without one.
 */
export class Core {
	runTimeOf: RunTimeOf;
	/** Remaining run time of pending jobs, by their objects, while the run-time statistics stay the same. */
	#rests = new WeakMap<PendingJob, PendingRest>();
	/** Those of the last list of pending jobs, in its order: most stay in their places, and a comparison is faster than a weak map. */
	readonly #listed: PendingRest[] = [];
	/** Used only by a core that runs many cycles: in a single cycle the cache costs more than it saves. */
	#followed = false;
	pools: HomePool[];
	live: LiveWork;
	shapeOf: ShapeOf;
	askApproval: AskApproval;
	/** The queue at home of the last cycle. */
	readonly queue = new KeptQueue();
	readonly order = new KeptOrder();
	#nowMs: number;
	#durations: readonly DurationStat[];
	#policy: Policy;
	#views: readonly PoolView[];
	#shapesBy: ShapesBy;

	constructor(snapshot: Snapshot) {
		this.#nowMs = snapshot.nowMs;
		this.#durations = snapshot.durations;
		this.runTimeOf = makeRunTimeOf(snapshot.durations);
		this.#views = snapshot.pools;
		this.pools = openHome(snapshot.pools);
		this.live = new LiveWork(this.pools, this.runTimeOf);
		this.#policy = snapshot.policy;
		this.askApproval = makeAskApproval(snapshot.policy);
		this.#shapesBy = shapesBy(snapshot);
		this.shapeOf = makeShapes(snapshot.policy, this.pools, openOfferBook(snapshot), snapshot.nowMs);
		this.#openPools(snapshot);
	}

	/** Whether this can be updated to the snapshot: time must not run backwards. */
	canFollow(snapshot: Snapshot): boolean {
		return snapshot.nowMs >= this.#nowMs;
	}

	follow(snapshot: Snapshot): void {
		this.#followed = true;
		this.#nowMs = snapshot.nowMs;
		if (!sameItems(snapshot.durations, this.#durations)) {
			this.#durations = snapshot.durations;
			this.runTimeOf = makeRunTimeOf(snapshot.durations);
			this.#rests = new WeakMap();
			this.#listed.length = 0;
		}
		const newPools = !samePools(this.#views, snapshot.pools);
		if (newPools) {
			this.#views = snapshot.pools;
			this.pools = openHome(snapshot.pools);
			this.live = new LiveWork(this.pools, this.runTimeOf);
		}
		if (snapshot.policy !== this.#policy) {
			this.#policy = snapshot.policy;
			this.askApproval = makeAskApproval(snapshot.policy);
		}
		if (newPools || !stillHolds(this.#shapesBy, snapshot)) {
			this.#shapesBy = shapesBy(snapshot);
			this.shapeOf = makeShapes(snapshot.policy, this.pools, openOfferBook(snapshot), snapshot.nowMs);
		}
		this.#openPools(snapshot);
	}

	/** Remaining run time of a pending job, and whether little is known about it (order.ts). Computed once per object. */
	restOf(job: PendingJob): PendingRest {
		const known = this.#rests.get(job);
		if (known) return known;
		const total = this.runTimeOf(job.spec);
		const rest = remainingOf(total, job.completedMs, job.spec.duration.maxMs);
		const fresh = { job, rest, thin: total.distribution === undefined, queued: null, slots: -1, replayedMs: 0 };
		if (this.#followed) this.#rests.set(job, fresh);
		return fresh;
	}

	/** The pending job's queue entry at this moment. `place`: its index in the list, where it is looked for first. */
	queuedOf(job: PendingJob, place: number, nowMs: number): QueuedJob {
		const last = this.#listed[place];
		const known = last?.job === job ? last : this.restOf(job);
		this.#listed[place] = known;
		const points = this.#policy.weights.pointsPerGpuHour ?? 0;
		known.queued = known.queued
			? refreshQueued(known.queued, nowMs, known.thin, points)
			: queuedJob(job, known.rest, nowMs, known.thin, points);
		return known.queued;
	}

	/** Its assumed run time in the replay of a pool with this many slots, ms (run-time.ts); cached for the last such pool. */
	replayedRestMs({ job, rest }: Pick<QueuedJob, "job" | "rest">, slots: number): number {
		const known = this.#rests.get(job);
		if (!known) return replayedRestMs(job, this.runTimeOf(job.spec), rest, slots);
		if (known.slots === slots) return known.replayedMs;
		known.slots = slots;
		known.replayedMs = replayedRestMs(job, this.runTimeOf(job.spec), rest, slots);
		return known.replayedMs;
	}

	#openPools(snapshot: Snapshot): void {
		for (const pool of this.pools) {
			const view = viewOf(snapshot.pools, pool.view.id);
			pool.open(view ?? pool.view, snapshot.nowMs);
		}
		this.live.read(snapshot.running, snapshot.foreign ?? NO_OTHERS, this.runTimeOf);
		this.live.checkQuiet(snapshot.nowMs);
	}
}

const NO_OTHERS: NonNullable<Snapshot["foreign"]> = [];

/** The memo's core at this snapshot; a new one without a memo. */
export function coreAt(snapshot: Snapshot, memo: DecideMemo | undefined): Core {
	const kept = memo?.kept.get("core");
	if (kept instanceof Core && kept.canFollow(snapshot)) {
		kept.follow(snapshot);
		return kept;
	}
	const core = new Core(snapshot);
	memo?.kept.set("core", core);
	return core;
}

function viewOf(views: readonly PoolView[], id: string): PoolView | undefined {
	for (const view of views) if (view.id === id) return view;
	return undefined;
}

function samePools(before: readonly PoolView[], now: readonly PoolView[]): boolean {
	if (before.length !== now.length) return false;
	return before.every((view) => {
		const other = viewOf(now, view.id);
		return other !== undefined && samePool(view, other);
	});
}

function sameItems<T>(a: readonly T[], b: readonly T[]): boolean {
	return a === b || (a.length === b.length && a.every((item, i) => item === b[i]));
}

/** Inputs of shapes and their offers, and until when they are valid: then a price becomes stale, or a back-off ends. */
interface ShapesBy {
	policy: Policy;
	offers: Snapshot["offers"];
	boardWatts: Snapshot["boardWatts"];
	priceMaxAgeMs: number;
	copies: Copies | null;
	mounts: Snapshot["mounts"];
	untilMs: number;
}

function shapesBy(snapshot: Snapshot): ShapesBy {
	const { policy, offers, boardWatts, priceMaxAgeMs, nowMs } = snapshot;
	let untilMs = Number.POSITIVE_INFINITY;
	for (const { priceObservedAtMs, backoffUntilMs } of offers) {
		const staleMs = priceObservedAtMs + priceMaxAgeMs + 1;
		if (staleMs > nowMs && staleMs < untilMs) untilMs = staleMs;
		if (backoffUntilMs !== null && backoffUntilMs > nowMs && backoffUntilMs < untilMs) untilMs = backoffUntilMs;
	}
	return { policy, offers, boardWatts, priceMaxAgeMs, copies: copiesOf(snapshot), mounts: snapshot.mounts, untilMs };
}

function stillHolds(by: ShapesBy, snapshot: Snapshot): boolean {
	return (
		by.policy === snapshot.policy &&
		by.priceMaxAgeMs === snapshot.priceMaxAgeMs &&
		sameCopies(by.copies, copiesOf(snapshot)) &&
		sameMounts(by.mounts, snapshot.mounts) &&
		snapshot.nowMs < by.untilMs &&
		sameWatts(by.boardWatts, snapshot.boardWatts) &&
		sameItems(by.offers, snapshot.offers)
	);
}

function sameWatts(a: Snapshot["boardWatts"], b: Snapshot["boardWatts"]): boolean {
	if (a === b) return true;
	const [x, y] = [Object.entries(a ?? {}), Object.entries(b ?? {})];
	return x.length === y.length && x.every(([name, watts]) => b?.[name] === watts);
}
