import type { DiskRate } from "#server/rates/disks.ts";
import { type Answer, jsonAnswer } from "../../shared/http/answer.ts";
import type { World } from "../world.ts";

/** Compute Engine's id in the Cloud Billing Catalog. */
export const CATALOGUE_PATH = "/v1/services/6F81-5844-456A/skus";

const MICRO_PER_USD = 1_000_000n;
const NANO_PER_MICRO = 1_000n;
const SPACE: Readonly<Record<string, string>> = { "pd-balanced": "Balanced PD Capacity", "pd-ssd": "SSD backed PD Capacity" };

/** The disks of the billing catalog, in one page. It contains no machines, so they keep the shipped prices. */
export function answerCatalogue({ options }: World): Answer {
	return jsonAnswer(200, { skus: options.disks.map(skuOf), nextPageToken: "" });
}

function skuOf({ region, type, microUsdPerMonth }: DiskRate) {
	const skuId = `EMULATED-${region}-${type}`;
	const unitPrice = {
		currencyCode: "USD",
		units: String(microUsdPerMonth / MICRO_PER_USD),
		nanos: Number((microUsdPerMonth % MICRO_PER_USD) * NANO_PER_MICRO),
	};
	return {
		...{ name: `services/6F81-5844-456A/skus/${skuId}`, skuId, description: `${SPACE[type] ?? type} in ${region}` },
		category: { serviceDisplayName: "Compute Engine", resourceFamily: "Storage", resourceGroup: "SSD", usageType: "OnDemand" },
		...{ serviceRegions: [region], serviceProviderName: "Google" },
		pricingInfo: [
			{
				summary: "",
				currencyConversionRate: 1,
				pricingExpression: { usageUnit: "GiBy.mo", tieredRates: [{ startUsageAmount: 0, unitPrice }] },
			},
		],
	};
}
