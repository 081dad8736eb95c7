import type { Offer } from "#server/domain/capacity.ts";
import { spotPriceAt } from "#server/emulators/aws/spot-prices.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import type { HistoryStory } from "../history/import-demo-history.ts";
import { COMPANY_FAMILIES, COMPARISON, SURGE } from "./families.ts";

/** The seed of the emulated clouds, so that the history continues seamlessly. */
const PRICE_SEED = 1;
const TUESDAY = 2;

/**
 * Ninety days of the company. Research runs more of one line of work since the day before yesterday, which raises an
 * anomaly. Last Tuesday a region fails while a comparison of models fills the cloud.
 */
export function companyStory(toMs: number): HistoryStory {
	const outageFromMs = lastTuesday(toMs) + 9 * HOUR_MS;
	return {
		clouds: ["aws", "azure", "gcp"],
		accelerators: ["H100-80GB", "A100-80GB", "L40S-48GB", "L4-24GB"],
		families: COMPANY_FAMILIES,
		surges: [
			{ families: SURGE, fromMs: toMs - 2 * DAY_MS, toMs: toMs - DAY_MS / 2 },
			{ families: COMPARISON, fromMs: outageFromMs - 6 * HOUR_MS, toMs: outageFromMs },
		],
		outage: { fromMs: outageFromMs, toMs: outageFromMs + 5 * HOUR_MS },
		priceAt: movingPrice,
	};
}

/** The last Tuesday that is completely over, 00:00 UTC. */
function lastTuesday(toMs: number): number {
	const today = Math.floor(toMs / DAY_MS) * DAY_MS;
	const back = (new Date(today).getUTCDay() - TUESDAY + 7) % 7 || 7;
	return today - back * DAY_MS;
}

const originals = new Map<string, bigint>();

/** Spot prices drift like those of the emulated EC2; other prices are constant. */
export function movingPrice(offer: Offer, atMs: number): bigint {
	const mean = originals.get(offer.id) ?? offer.microUsdPerHour ?? 0n;
	originals.set(offer.id, mean);
	if (offer.capacityType !== "spot") return mean;
	const { instanceType, region, zone } = offer;
	const entry = { instanceType, vcpus: 0, memoryGiB: 0, gpus: offer.gpus, gpuModel: offer.accelerator, regions: [] };
	const series = { entry, region, zone: zone ?? region, onDemandMicroUsdPerHour: 2n * mean, spotMicroUsdPerHour: mean };
	return spotPriceAt(PRICE_SEED, series, atMs) ?? mean;
}
