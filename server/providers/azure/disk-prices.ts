import type { Clock } from "#server/kernel/clock.ts";
import { DiskPrices } from "../disk-prices.ts";
import { PRICE_LIST, readDiskItems } from "./retail-client.ts";
import { diskPriceOf, premiumTierOf } from "./retail-items.ts";
import type { ParsedAzureSettings } from "./settings.ts";

/** Prices of machine disks in Azure's public list; an emulated endpoint has its own list. */
export function openDiskPrices({ priceList, endpoint }: ParsedAzureSettings, clock: Clock): DiskPrices {
	const url = priceList ?? (endpoint === undefined ? PRICE_LIST : new URL("/api/retail/prices", endpoint).href);
	return new DiskPrices({
		...{ source: "Azure Retail Prices", clock },
		async read(region, { gib }) {
			if (url === "off") throw new Error("the price list is turned off in the site's settings");
			const tier = premiumTierOf(gib);
			return tier === null ? null : diskPriceOf(await readDiskItems(url, region, tier), tier, clock.nowMs());
		},
	});
}
