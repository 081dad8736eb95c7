import { z } from "zod";
import { usdToMicro } from "#server/kernel/money.ts";

/** One price of Azure's public list. Fields that it may add are let through; one that is missing refuses the page. */
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

/** The price of one Linux machine for an hour, as Azure lists it now. */
export interface RetailPrice {
	instanceType: string;
	region: string;
	capacityType: "on_demand" | "spot";
	microUsdPerHour: bigint;
}

/**
 * The list has a machine several times: with Windows, as spot, at the old low priority, for development subscriptions, and
 * with prices that begin later. Left are Linux on demand and Linux spot, each with the newest price in force.
 * Source: Microsoft Learn, "Azure Retail Prices overview".
 */
export function retailPricesOf(items: readonly RetailItem[], nowMs: number): RetailPrice[] {
	const inForce = items
		.filter((item) => isLinuxMachine(item) && Date.parse(item.effectiveStartDate) <= nowMs)
		.toSorted((a, b) => Date.parse(b.effectiveStartDate) - Date.parse(a.effectiveStartDate));
	const newest = new Map<string, RetailPrice>();
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

/** The list is JSON with numbers; what it has beyond a millionth of a dollar is rounded. A negative one stays below zero. */
function microOf(usd: number): bigint {
	return usdToMicro(usd.toFixed(6));
}
