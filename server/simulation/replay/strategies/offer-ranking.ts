import type { Offer } from "#server/domain/capacity.ts";
import { priceAt } from "../billing.ts";
import type { World } from "../engine.ts";
import { isAllowedIn } from "../replay-data.ts";
import type { SeenJob } from "../run.ts";

/**
 * Offers of one capacity type by price, for jobs of one shape, where their data may go. A missing price or a price of 0 counts as no price.
 */
export class OfferRanking {
	readonly #world: World;
	readonly #kept = new Map<string, readonly Offer[]>();

	constructor(world: World) {
		this.#world = world;
	}

	/** Offers with room for one node of the job per instance, cheapest first. Spot at or above the cheapest on-demand price is excluded. */
	cheapest(job: SeenJob, type: Offer["capacityType"]): readonly Offer[] {
		const key = `${type} ${job.gpusPerNode} ${job.nodes > 1} ${job.accelerators.join("|")} ${job.data.map(({ uri }) => uri).join("|")}`;
		const fixed = this.#world.scenario.prices.size === 0;
		const known = fixed ? this.#kept.get(key) : undefined;
		if (known) return known;
		const ranked = this.#rank(job, type);
		this.#kept.set(key, ranked);
		return ranked;
	}

	/** Reserved machines that are free for the job now, lowest marginal price first (may be 0). */
	reservedNow(job: SeenJob): Offer | null {
		return this.cheapest(job, "reserved").find((offer) => this.#world.reservedFree(offer) >= job.nodes) ?? null;
	}

	/** Reserved machines in use by others that the job may get before the reservation ends. */
	reservedLater(job: SeenJob): Offer | null {
		const { nowMs } = this.#world;
		return (
			this.cheapest(job, "reserved").find(({ availableUntilMs = null }) => availableUntilMs === null || availableUntilMs > nowMs) ?? null
		);
	}

	#rank(job: SeenJob, type: Offer["capacityType"]): readonly Offer[] {
		const { scenario, nowMs } = this.#world;
		const ceiling = type === "spot" ? this.#price(this.cheapest(job, "on_demand")[0]) : Number.POSITIVE_INFINITY;
		return scenario.offers
			.filter((offer) => {
				const { capacityType, gpus, accelerator, gangs } = offer;
				if (capacityType !== type || gpus < job.gpusPerNode || (job.nodes > 1 && !gangs) || !isAllowedIn(job.data, offer)) return false;
				return job.accelerators.length === 0 || job.accelerators.includes(accelerator);
			})
			.map((offer) => ({ offer, price: Number(priceAt(scenario, offer, nowMs) ?? 0n) }))
			.filter(({ price }) => (price > 0 || type === "reserved") && price < ceiling)
			.sort((a, b) => a.price - b.price || (a.offer.id < b.offer.id ? -1 : 1))
			.map(({ offer }) => offer);
	}

	#price(offer: Offer | undefined): number {
		if (!offer) return Number.POSITIVE_INFINITY;
		return Number(priceAt(this.#world.scenario, offer, this.#world.nowMs) ?? 0n) || Number.POSITIVE_INFINITY;
	}
}
