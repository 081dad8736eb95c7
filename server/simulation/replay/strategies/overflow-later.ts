import type { World } from "../engine.ts";
import type { Run, RunEnd, SeenJob } from "../run.ts";
import { EagerSpot } from "./eager-spot.ts";
import { canEverRunHome, startHome } from "./start-home.ts";

/** When a job that does not fit at home bursts: after a wait (ms), or when more jobs than this are queued. */
export type LeavesAfter = { waitMs: number } | { queue: number };

/**
 * Wait first, then burst: jobs queue for home in submission order, and the first that fits starts. A job goes to the cheapest spot offer
 * that accepts once it has waited long enough, or once the queue is longer than the limit. Burst jobs do not return.
 */
export class OverflowLater extends EagerSpot {
	readonly #home: World;
	readonly #after: LeavesAfter;
	readonly #queue: SeenJob[] = [];

	constructor(world: World, after: LeavesAfter) {
		super(world);
		this.#home = world;
		this.#after = after;
	}

	override arrived(job: SeenJob): void {
		this.#queue.push(job);
		if ("waitMs" in this.#after) this.#home.wakeAt(job.submittedAtMs + this.#after.waitMs);
	}

	override ended(run: Run, why: RunEnd): void {
		if (run.home === null) super.ended(run, why);
	}

	override decide(): void {
		for (let i = 0; i < this.#queue.length; ) {
			const job = this.#queue[i];
			if (!job || job.givenUp || startHome(this.#home, job) || this.#leaves(job)) this.#queue.splice(i, 1);
			else i++;
		}
		super.decide();
	}

	#leaves(job: SeenJob): boolean {
		const { nowMs } = this.#home;
		const due = "waitMs" in this.#after ? nowMs - job.submittedAtMs >= this.#after.waitMs : this.#queue.length > this.#after.queue;
		if (!due && canEverRunHome(this.#home, job)) return false;
		super.arrived(job);
		return true;
	}
}
