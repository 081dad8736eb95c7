import type { DatedRate } from "../snapshot-rate.ts";
import { AzureDriver } from "./driver.ts";
import { azurePrices } from "./live-prices.ts";
import { PRICE_LIST } from "./retail-client.ts";
import type { ParsedAzureSettings } from "./settings.ts";

/** The driver of a site, with Azure's live prices overriding the shipped ones. */
export function openAzure(siteId: string, settings: ParsedAzureSettings, snapshot: () => readonly DatedRate[]): AzureDriver {
	const url = priceListOf(settings);
	const list = url === null ? null : azurePrices(url, settings.regions, snapshot);
	return new AzureDriver(siteId, { settings, listPrices: list ? () => list.current() : snapshot });
}

function priceListOf({ priceList, endpoint }: ParsedAzureSettings): string | null {
	if (priceList === "off") return null;
	return priceList ?? (endpoint === undefined ? PRICE_LIST : null);
}
