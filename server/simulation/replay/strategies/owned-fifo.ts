import type { Strategy, World } from "../engine.ts";
import type { SeenJob } from "../run.ts";
import { canEverRunHome, startHome } from "./start-home.ts";

/**
 * Owned machines only, strictly first in, first out: a first job that does not fit blocks all behind it. A Slurm cluster does this with
 * `SchedulerType=sched/builtin` (slurm.conf), and a Kueue queue with `queueingStrategy: StrictFIFO`. Both reject a job at submission if the
 * empty cluster could not hold it, and so does this.
 */
export class OwnedFifo implements Strategy {
	readonly #world: World;
	readonly #queue: SeenJob[] = [];
	#head = 0;

	constructor(world: World) {
		this.#world = world;
	}

	arrived(job: SeenJob): void {
		if (canEverRunHome(this.#world, job)) this.#queue.push(job);
		else this.#world.giveUp(job);
	}

	ended(): void {}

	decide(): void {
		for (let job = this.#queue[this.#head]; job && (job.givenUp || startHome(this.#world, job)); job = this.#queue[this.#head])
			this.#head++;
	}
}
