import type { Finding } from "./finding.ts";
import type { HomeStart } from "./home.ts";
import type { HomePool } from "./home-pool.ts";
import type { QueuedJob } from "./order.ts";
import type { RunTimeOf } from "./run-time.ts";
import type { ShapeOf } from "./shape.ts";
import type { PendingJob, Snapshot } from "./types.ts";

/** The place of one waiting job in the queue at home. */
export interface KeptPlace {
	readonly job: PendingJob;
	readonly start: HomeStart;
	/** Assumed run time there, ms. */
	readonly replayedMs: number;
	/** It waits until something other than the clock changes. */
	waits: boolean;
}

/** What all places of a queue depend on. */
interface Basis {
	pools: readonly HomePool[];
	/** Of all pools. */
	changes: number;
	runTimeOf: RunTimeOf;
	shapeOf: ShapeOf;
	cloudStartMs: number;
}

/** The parts of the core that places depend on. */
interface PlacingCore {
	pools: readonly HomePool[];
	runTimeOf: RunTimeOf;
	shapeOf: ShapeOf;
}

/**
 * The queue at home of the last cycle. A start that was found later than now stays the earliest one until it is reached, as long as
 * the pools and all reservations before it are the same: no slot becomes free before it, and no gap gets longer as time passes. So
 * the jobs up to the first change keep their starts, and only those behind it are searched for again.
 */
export class KeptQueue {
	#places: KeptPlace[] = [];
	#last: KeptPlace[] = [];
	/** The next place of the last cycle. */
	#at = 0;
	/** The reservations of this cycle equal those of the last one so far. */
	#same = false;
	/** Every reservation of this cycle is kept so far. */
	#complete = false;
	#nowMs = 0;
	#core: PlacingCore | null = null;
	#cloudStartMs = Number.NaN;
	/** What the places depend on. */
	#basis: Basis | null = null;
	/** #basis is that of this cycle. */
	#isCurrent = false;

	/** Must run once the pools contain all work of the snapshot, and before the queue is replayed over them. */
	open({ nowMs, cloudStartMs }: Snapshot, core: PlacingCore): void {
		[this.#last, this.#places] = [this.#places, this.#last];
		this.#places.length = 0;
		this.#at = 0;
		this.#same = false;
		this.#complete = true;
		this.#nowMs = nowMs;
		this.#core = core;
		this.#cloudStartMs = cloudStartMs.p50Ms;
		this.#isCurrent = false;
	}

	/** Nothing is kept of this cycle. */
	forget(): void {
		this.#places.length = 0;
	}

	/** The place of this job, if it is next in the last queue and its start still holds. */
	find({ job }: QueuedJob): KeptPlace | null {
		if (this.#last.length === 0) return null;
		if (!this.#isCurrent) this.#same = this.#updateBasis();
		if (!this.#same) return null;
		const place = this.#last[this.#at];
		if (place === undefined || place.job !== job || place.start.at.startMs <= this.#nowMs) return null;
		return place;
	}

	/** Returns whether it stays as it was. */
	#updateBasis(): boolean {
		const [core, last] = [this.#core, this.#basis];
		if (core === null) return false;
		const { pools, runTimeOf, shapeOf } = core;
		let changes = 0;
		for (const pool of pools) {
			pool.refresh();
			changes += pool.changes;
		}
		this.#isCurrent = true;
		const cloudStartMs = this.#cloudStartMs;
		if (
			last !== null &&
			pools === last.pools &&
			changes === last.changes &&
			runTimeOf === last.runTimeOf &&
			shapeOf === last.shapeOf &&
			cloudStartMs === last.cloudStartMs
		)
			return true;
		this.#basis = { pools, changes, runTimeOf, shapeOf, cloudStartMs };
		return false;
	}

	/** The job keeps its place. */
	keep(place: KeptPlace): void {
		this.#at++;
		this.#places.push(place);
	}

	/**
	 * Notes what was decided for a job.
	 * @param known its place in the last queue
	 * @param replayedMs its assumed run time; null: it reserves nothing at home
	 */
	note(finding: Finding, known: KeptPlace | null, replayedMs: number | null, waits: boolean): void {
		if (known && replayedMs !== null && finding.eviction === null) {
			known.waits = waits;
			this.keep(known);
			return;
		}
		if (known === null && replayedMs === null) return;
		this.#same = false;
		const { start } = finding;
		if (start === null || replayedMs === null) return;
		if (finding.eviction !== null || start.at.startMs <= this.#nowMs) this.#complete = false;
		if (!this.#complete) return;
		if (!this.#isCurrent) this.#updateBasis();
		this.#places.push({ job: finding.queued.job, start, replayedMs, waits });
	}
}
