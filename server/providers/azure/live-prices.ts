import type { Clock } from "#server/kernel/clock.ts";
import { LivePrices } from "../live-prices/live-prices.ts";
import type { DatedRate } from "../snapshot-rate.ts";
import { readRetailItems } from "./retail-client.ts";
import { retailPricesOf } from "./retail-items.ts";

/** Azure's public price list, overriding the shipped snapshot in these regions. */
export function azurePrices(url: string, regions: readonly string[], snapshot: () => readonly DatedRate[], clock?: Clock): LivePrices {
	return new LivePrices({
		...{ source: "Azure Retail Prices", snapshot, ...(clock && { clock }) },
		async read(sizes, nowMs) {
			const items = await Promise.all(regions.map((region) => readRetailItems(url, region, sizes)));
			return retailPricesOf(items.flat(), nowMs);
		},
	});
}
