import { microToUsdNumber } from "#server/kernel/money.ts";
import type { DiskRate } from "#server/rates/disks.ts";
import { type Answer, jsonAnswer } from "../../shared/http/answer.ts";
import type { World } from "../world.ts";

export const PRICE_LIST_PATH = "/api/retail/prices";

/** Azure's public price list, which requires no credentials. It contains the managed disks, in one page, and no machines. */
export function answerPriceList({ options }: World, url: URL): Answer {
	const filter = url.searchParams.get("$filter") ?? "";
	const wanted = [...filter.matchAll(/(\w+) eq '([^']*)'/g)].map(([, field = "", value = ""]) => [field, value] as const);
	const fits = (item: Record<string, unknown>) =>
		wanted.every(([field, value]) => (field === "priceType" ? item["type"] : item[field]) === value);
	const Items = options.disks.map(itemOf).filter(fits);
	return jsonAnswer(200, {
		BillingCurrency: "USD",
		CustomerEntityId: "Default",
		CustomerEntityType: "Retail",
		Items,
		NextPageLink: null,
		Count: Items.length,
	});
}

function itemOf({ region, type, microUsdPerMonth }: DiskRate): Record<string, unknown> {
	const price = microToUsdNumber(microUsdPerMonth);
	return {
		...{ currencyCode: "USD", tierMinimumUnits: 0, retailPrice: price, unitPrice: price, armRegionName: region, location: region },
		...{ effectiveStartDate: "2018-05-01T00:00:00Z", meterName: `${type} Disk`, productName: "Premium SSD Managed Disks", skuName: type },
		...{ serviceName: "Storage", serviceFamily: "Storage", unitOfMeasure: "1/Month", type: "Consumption", isPrimaryMeterRegion: true },
		armSkuName: `Premium_SSD_Managed_Disk_${type.replace(/ LRS$/, "")}`,
	};
}
