import type { Strategy, World } from "../engine.ts";
import type { Run, RunEnd, SeenJob } from "../run.ts";
import { OfferRanking } from "./offer-ranking.ts";

/**
 * Every job at once to the cheapest on-demand offer that holds it, to its end: a team without machines. After a
 * refusal the next cheapest is asked, after the last one the first again.
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
		for (const job of this.#waiting) this.place(job);
		this.#waiting.length = 0;
	}

	protected place(job: SeenJob): void {
		launchOnDemand(this.world, this.#ranking, job);
	}
}

/**
 * Reserved machines first where some are free, as providers match on-demand launches to open reservations by themselves (AWS
 * On-Demand Capacity Reservations, "open"); else the cheapest on-demand, or after refusals the next ones in turn. A job that
 * no offer holds is given up.
 */
export function launchOnDemand(world: World, ranking: OfferRanking, job: SeenJob, refusals = job.attempts): void {
	const offers = ranking.cheapest(job, "on_demand");
	const offer = ranking.reservedNow(job) ?? offers[refusals % Math.max(1, offers.length)] ?? ranking.reservedLater(job);
	if (offer) world.launch(job, offer);
	else world.giveUp(job);
}
