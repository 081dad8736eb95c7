import type { Offer } from "#server/domain/capacity.ts";
import type { Strategy, World } from "../engine.ts";
import type { Run, RunEnd, SeenJob } from "../run.ts";
import { launchOnDemand } from "./cloud-on-demand.ts";
import { OfferRanking } from "./offer-ranking.ts";
import { startHome } from "./start-home.ts";

/** One search for capacity: the offers that refused, and the region that reclaimed its machine. */
interface Search {
	refused: Set<string>;
	shunnedRegion: string | null;
	onDemandTries: number;
}

/**
 * SkyPilot managed jobs (docs.skypilot.co, "Managed Jobs"; recovery strategy EAGER_NEXT_REGION, the default): the cheapest available
 * resource. Owned machines cost nothing and come first if the job fits there at that moment. Then spot offers by price, each tried until
 * one accepts; if all refuse, on-demand, where the job stays. After an interruption the search restarts immediately, trying other regions
 * than the one that reclaimed the machine first. It keeps no memory between searches and does not move running jobs.
 */
export class EagerSpot implements Strategy {
	readonly #world: World;
	protected readonly ranking: OfferRanking;
	readonly #waiting: SeenJob[] = [];
	readonly #searches = new Map<number, Search>();

	constructor(world: World) {
		this.#world = world;
		this.ranking = new OfferRanking(world);
	}

	arrived(job: SeenJob): void {
		this.#searches.set(job.index, { refused: new Set(), shunnedRegion: null, onDemandTries: 0 });
		this.#waiting.push(job);
	}

	ended(run: Run, why: RunEnd): void {
		const { job, offer } = run;
		const search = this.#searches.get(job.index);
		if (why === "finished") this.#searches.delete(job.index);
		else if (why === "refused" && search && offer) {
			if (offer.capacityType === "on_demand") search.onDemandTries++;
			search.refused.add(offer.id);
		} else this.#searches.set(job.index, { refused: new Set(), shunnedRegion: offer && regionOf(offer), onDemandTries: 0 });
		if (why !== "finished") this.#waiting.push(job);
	}

	decide(): void {
		for (const job of this.#waiting) if (!job.givenUp) this.#place(job);
		this.#waiting.length = 0;
	}

	/** Records a requested cloud launch. */
	protected launched(_run: Run): void {}

	/** An offer to try before all others; null: none. */
	protected firstChoice(_job: SeenJob): Offer | null {
		return null;
	}

	#place(job: SeenJob): void {
		if (startHome(this.#world, job)) return;
		const search = this.#searches.get(job.index);
		if (!search) return;
		const reserved = this.ranking.reservedNow(job);
		const open = reserved ? [reserved] : this.ranking.cheapest(job, "spot").filter((offer) => !search.refused.has(offer.id));
		const offer = this.firstChoice(job) ?? open.find((candidate) => regionOf(candidate) !== search.shunnedRegion) ?? open[0];
		if (offer) this.launched(this.#world.launch(job, offer));
		else {
			launchOnDemand(this.#world, this.ranking, job, search.onDemandTries);
			if (job.run) this.launched(job.run);
		}
	}
}

function regionOf(offer: Offer): string {
	return `${offer.provider}:${offer.region}`;
}
