import type { Strategy, World } from "../engine.ts";
import type { Run, RunEnd, SeenJob } from "../run.ts";
import { OfferRanking } from "./offer-ranking.ts";

/**
 * A team without machines: every job goes immediately to the cheapest on-demand offer that holds it and stays there to its end. After a
 * refusal the next cheapest is tried, and after the last one the first again.
 */
export class CloudOnDemand implements Strategy {
	protected readonly world: World;
	readonly #ranking: OfferRanking;
	readonly #waiting: SeenJob[] = [];

	constructor(world: World) {
		this.world = world;
		this.#ranking = new OfferRanking(world);
	}

	arrived(job: SeenJob): void {
		this.#waiting.push(job);
	}

	ended(run: Run, why: RunEnd): void {
		if (why !== "finished") this.#waiting.push(run.job);
	}

	decide(): void {
		for (const job of this.#waiting) if (!job.givenUp) this.place(job);
		this.#waiting.length = 0;
	}

	protected place(job: SeenJob): void {
		launchOnDemand(this.world, this.#ranking, job);
	}
}

/**
 * Free reserved machines first, because providers match on-demand launches to open reservations automatically (AWS On-Demand Capacity
 * Reservations, "open"). Otherwise the cheapest on-demand offer, or after refusals the next ones in turn. A job that fits no offer is given
 * up.
 */
export function launchOnDemand(world: World, ranking: OfferRanking, job: SeenJob, refusals = job.attempts): void {
	const offers = ranking.cheapest(job, "on_demand");
	const offer = ranking.reservedNow(job) ?? offers[refusals % Math.max(1, offers.length)] ?? ranking.reservedLater(job);
	if (offer) world.launch(job, offer);
	else world.giveUp(job);
}
