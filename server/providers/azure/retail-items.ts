import { z } from "zod";
import { usdToMicro } from "#server/kernel/money.ts";
import type { ListedPrice } from "../live-prices/merge-prices.ts";

/** One price of Azure's public list. Additional fields are accepted; a missing one makes the page invalid. */
export const retailItemSchema = z.object({
	currencyCode: z.string(),
	retailPrice: z.number(),
	armRegionName: z.string(),
	armSkuName: z.string(),
	productName: z.string(),
	skuName: z.string(),
	meterName: z.string(),
	unitOfMeasure: z.string(),
	type: z.string(),
	effectiveStartDate: z.iso.datetime({ offset: true }),
	isPrimaryMeterRegion: z.boolean().default(true),
});
export type RetailItem = z.output<typeof retailItemSchema>;

/**
 * Selects Linux on-demand and Linux spot prices, each with the latest one in force. The list contains a machine several times:
 * with Windows, as spot, as the former low priority, for development subscriptions, and with prices that start later. Source:
 * Microsoft Learn, "Azure Retail Prices overview".
 */
export function retailPricesOf(items: readonly RetailItem[], nowMs: number): ListedPrice[] {
	const inForce = items
		.filter((item) => isLinuxMachine(item) && Date.parse(item.effectiveStartDate) <= nowMs)
		.toSorted((a, b) => Date.parse(b.effectiveStartDate) - Date.parse(a.effectiveStartDate));
	const newest = new Map<string, ListedPrice>();
	for (const item of inForce) {
		const capacityType = item.skuName.endsWith(" Spot") ? "spot" : "on_demand";
		const key = `${item.armRegionName}/${item.armSkuName}/${capacityType}`;
		if (newest.has(key)) continue;
		const { armSkuName: instanceType, armRegionName: region } = item;
		newest.set(key, { instanceType, region, capacityType, microUsdPerHour: microOf(item.retailPrice) });
	}
	return [...newest.values()];
}

function isLinuxMachine({ type, unitOfMeasure, productName, skuName, meterName, isPrimaryMeterRegion }: RetailItem): boolean {
	if (type !== "Consumption" || unitOfMeasure !== "1 Hour" || !isPrimaryMeterRegion) return false;
	return !/windows|cloudservices|cloud services|dedicated host/i.test(productName) && !/low priority/i.test(`${skuName} ${meterName}`);
}

/** The list's name for managed disks of storageAccountType Premium_LRS. */
export const PREMIUM_SSD = "Premium SSD Managed Disks";

/** Sizes of Premium SSD in GiB. A disk is billed as the next larger size. */
const PREMIUM_TIERS: readonly (readonly [tier: string, gib: number])[] = [
	...([
		["P1", 4],
		["P2", 8],
		["P3", 16],
		["P4", 32],
		["P6", 64],
		["P10", 128],
		["P15", 256],
	] as const),
	...([
		["P20", 512],
		["P30", 1_024],
		["P40", 2_048],
		["P50", 4_096],
	] as const),
];

/** E.g. `P10 LRS` for 65 to 128 GiB; null above 4 TiB, larger than any OS disk here. */
export function premiumTierOf(gib: number): string | null {
	const found = PREMIUM_TIERS.find(([, most]) => gib <= most)?.[0];
	return found === undefined ? null : `${found} LRS`;
}

/**
 * Monthly price of a disk of the tier, the latest one in force; null if the list has none. Mounts and shares are separate meters.
 */
export function diskPriceOf(items: readonly RetailItem[], tier: string, nowMs: number): bigint | null {
	const [newest] = items
		.filter(({ productName, skuName, meterName }) => productName === PREMIUM_SSD && skuName === tier && meterName === `${tier} Disk`)
		.filter(
			({ type, unitOfMeasure, isPrimaryMeterRegion }) => type === "Consumption" && unitOfMeasure === "1/Month" && isPrimaryMeterRegion,
		)
		.filter(({ effectiveStartDate }) => Date.parse(effectiveStartDate) <= nowMs)
		.toSorted((a, b) => Date.parse(b.effectiveStartDate) - Date.parse(a.effectiveStartDate));
	return newest === undefined ? null : microOf(newest.retailPrice);
}

/** The list is JSON with numbers; anything below a millionth of a dollar is rounded. A negative price stays below zero. */
function microOf(usd: number): bigint {
	return usdToMicro(usd.toFixed(6));
}
