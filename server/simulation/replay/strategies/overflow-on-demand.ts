import type { Strategy, World } from "../engine.ts";
import type { SeenJob } from "../job.ts";
import type { Run, RunEnd } from "../run.ts";
import { launchOnDemand } from "./cloud-on-demand.ts";
import { OfferRanking } from "./offer-ranking.ts";
import { startHome } from "./start-home.ts";

/**
 * Overflow when full: a job that fits at home now starts there, any other goes at once to the cheapest on-demand offer and
 * runs there to its end. What Slurm's power saving does with cloud nodes in a partition (ResumeProgram, the owned nodes with
 * the lower Weight; slurm.schedmd.com/elastic_computing.html), and Kueue with a cloud ResourceFlavor behind the owned one.
 */
export class OverflowOnDemand implements Strategy {
	readonly #world: World;
	readonly #ranking: OfferRanking;
	readonly #waiting: SeenJob[] = [];

	constructor(world: World) {
		this.#world = world;
		this.#ranking = new OfferRanking(world);
	}

	arrived(job: SeenJob): void {
		this.#waiting.push(job);
	}

	ended(run: Run, why: RunEnd): void {
		if (why !== "finished") this.#waiting.push(run.job);
	}

	decide(): void {
		for (const job of this.#waiting) {
			if (!startHome(this.#world, job)) launchOnDemand(this.#world, this.#ranking, job);
		}
		this.#waiting.length = 0;
	}
}
