import { usdToMicro } from "../kernel/money.ts";
import type { ListedPrice } from "./offers.ts";

/** The hourly price of one TPU chip in a region, for chips that Compute Engine does not sell by the machine. */
export interface ChipRate {
	accelerator: string;
	region: string;
	onDemand: ListedPrice;
	spot: ListedPrice;
}

const SOURCE = "gpuhunt, tpu_pricing.json: price of a chip";
/** Day of gpuhunt's file. */
const AS_OF = "2024-12-23";

/** USD per chip and hour, on demand and as spot. Source: rows `tpu-v5e-chip` of the raw catalog, from gpuhunt's tpu_pricing.json. */
const V5E: Readonly<Record<string, readonly [onDemandUsd: string, spotUsd: string]>> = {
	"asia-southeast1": ["1.56", "0.78"],
	"europe-west1": ["1.3213", "0.66066"],
	"europe-west4": ["1.56", "0.663"],
	"us-central1": ["1.2", "0.63"],
	"us-east5": ["1.2", "0.6"],
	"us-south1": ["1.416", "0.708"],
	"us-west1": ["1.2", "0.63"],
	"us-west4": ["1.2", "0.51"],
};

/** Prices of chips that only the TPU API sells. */
export const CHIP_RATES: readonly ChipRate[] = Object.entries(V5E).map(([region, [onDemandUsd, spotUsd]]) => ({
	...{ accelerator: "TPU-v5e", region },
	onDemand: price(onDemandUsd),
	spot: price(spotUsd),
}));

function price(usd: string): ListedPrice {
	return { microUsdPerHour: usdToMicro(usd), asOf: AS_OF, source: SOURCE, estimate: false };
}
