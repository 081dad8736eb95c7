import type { Offer } from "#server/domain/capacity.ts";
import { priceAt } from "../billing.ts";
import type { World } from "../engine.ts";
import type { SeenJob } from "../job.ts";

/** Offers of one capacity type by price, for jobs of one shape. A missing price or a price of 0 is no price. */
export class OfferRanking {
	readonly #world: World;
	readonly #kept = new Map<string, readonly Offer[]>();

	constructor(world: World) {
		this.#world = world;
	}

	/** One instance is enough for each node of the job; cheapest first. Spot at or over the cheapest on-demand is no spot. */
	cheapest(job: SeenJob, type: "spot" | "on_demand"): readonly Offer[] {
		const key = `${type} ${job.gpusPerNode} ${job.nodes > 1} ${job.accelerators.join("|")}`;
		const fixed = this.#world.scenario.prices.size === 0;
		const known = fixed ? this.#kept.get(key) : undefined;
		if (known) return known;
		const ranked = this.#rank(job, type);
		this.#kept.set(key, ranked);
		return ranked;
	}

	#rank(job: SeenJob, type: "spot" | "on_demand"): readonly Offer[] {
		const { scenario, nowMs } = this.#world;
		const ceiling = type === "spot" ? this.#price(this.cheapest(job, "on_demand")[0]) : Number.POSITIVE_INFINITY;
		return scenario.offers
			.filter(({ capacityType, gpus, accelerator, gangs }) => {
				if (capacityType !== type || gpus < job.gpusPerNode || (job.nodes > 1 && !gangs)) return false;
				return job.accelerators.length === 0 || job.accelerators.includes(accelerator);
			})
			.map((offer) => ({ offer, price: Number(priceAt(scenario, offer, nowMs) ?? 0n) }))
			.filter(({ price }) => price > 0 && price < ceiling)
			.sort((a, b) => a.price - b.price || (a.offer.id < b.offer.id ? -1 : 1))
			.map(({ offer }) => offer);
	}

	#price(offer: Offer | undefined): number {
		if (!offer) return Number.POSITIVE_INFINITY;
		return Number(priceAt(this.#world.scenario, offer, this.#world.nowMs) ?? 0n) || Number.POSITIVE_INFINITY;
	}
}
