import type { Offer } from "#server/domain/capacity.ts";
import { acceleratorsNamed } from "#server/rates/accelerators.ts";
import { catalogOffers } from "#server/rates/catalogue-offers.ts";
import { throughputPrior } from "#server/rates/throughput.ts";

/** Cheapest list price of one GPU, US dollars per hour; null: none on record. */
export interface GpuPrices {
	accelerator: string;
	onDemandUsd: number | null;
	spotUsd: number | null;
	/** The fastest other model that does the same work for less at list price; null if there is none. */
	faster: { accelerator: string; speed: number; usdPerHour: number } | null;
}

/** From the shipped catalog (server/rates), all regions of the three clouds. */
export function gpuPrices(accelerator: string, observedAtMs: number): GpuPrices {
	const offers = catalogOffers(observedAtMs);
	const onDemandUsd = cheapest(offers, accelerator, "on_demand");
	return {
		accelerator,
		onDemandUsd,
		spotUsd: cheapest(offers, accelerator, "spot"),
		faster: fasterElsewhere(offers, accelerator, onDemandUsd),
	};
}

function cheapest(offers: readonly Offer[], accelerator: string, capacityType: Offer["capacityType"]): number | null {
	let least = Number.POSITIVE_INFINITY;
	for (const offer of offers) {
		if (offer.accelerator !== accelerator || offer.capacityType !== capacityType) continue;
		least = Math.min(least, Number(offer.microUsdPerHour) / 1e6 / offer.gpus);
	}
	return least === Number.POSITIVE_INFINITY ? null : least;
}

/** Mean training speed relative to the owned model, from the public measurements of server/rates/throughput.ts. */
function fasterElsewhere(offers: readonly Offer[], accelerator: string, onDemandUsd: number | null): GpuPrices["faster"] {
	const { accelerators, logMean } = throughputPrior();
	const own = logMean[accelerators.indexOf(accelerator)];
	if (own === undefined || onDemandUsd === null) return null;
	let best: GpuPrices["faster"] = null;
	for (const [i, other] of accelerators.entries()) {
		const usd = cheapest(offers, other, "on_demand");
		const speed = Math.exp((logMean[i] ?? own) - own);
		if (usd === null || speed < 1.2 || usd / speed >= onDemandUsd) continue;
		if (best === null || speed > best.speed) best = { accelerator: other, speed, usdPerHour: usd };
	}
	return best;
}

/** The one model that a name refers to, else A100-80GB. */
export function modelNamed(name: string | undefined): string {
	return name === undefined ? DEFAULT_ACCELERATOR : (acceleratorsNamed(name)[0] ?? name);
}

/** Used when a history names no model: an assumption. The catalog has it in all three clouds. */
export const DEFAULT_ACCELERATOR = "A100-80GB";
