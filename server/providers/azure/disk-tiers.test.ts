import { expect, it } from "vitest";
import { diskPriceOf, premiumTierOf, type RetailItem } from "./retail-items.ts";

const NOW_MS = Date.parse("2026-11-20T12:00:00Z");

/** As prices.azure.com returned it for western Europe. */
const P10: RetailItem = {
	...{ currencyCode: "USD", retailPrice: 21.68, armRegionName: "westeurope", armSkuName: "Premium_SSD_Managed_Disk_P10" },
	...{ productName: "Premium SSD Managed Disks", skuName: "P10 LRS", meterName: "P10 LRS Disk", unitOfMeasure: "1/Month" },
	...{ type: "Consumption", effectiveStartDate: "2018-05-01T00:00:00Z", isPrimaryMeterRegion: true },
};

it.each([
	[30, "P4 LRS"],
	[32, "P4 LRS"],
	[33, "P6 LRS"],
	[128, "P10 LRS"],
	[129, "P15 LRS"],
	[4_096, "P50 LRS"],
	[4_097, null],
])("a disk of %i GiB is billed as %s", (gib, tier) => {
	expect(premiumTierOf(gib)).toBe(tier);
});

it("uses the latest current price of the disk itself: no mount, no other redundancy, no later price, no reservation", () => {
	const others: Partial<RetailItem>[] = [
		{ meterName: "P10 LRS Disk Mount", retailPrice: 1.2 },
		{ skuName: "P10 ZRS", meterName: "P10 ZRS Disk", retailPrice: 32.5 },
		{ effectiveStartDate: "2027-01-01T00:00:00Z", retailPrice: 30 },
		{ type: "Reservation", retailPrice: 200 },
		{ unitOfMeasure: "1 Hour", retailPrice: 0.03 },
		{ productName: "Standard SSD Managed Disks", retailPrice: 9.6 },
	];
	const items = others.map((change) => ({ ...P10, ...change }));
	expect(diskPriceOf(items, "P10 LRS", NOW_MS)).toBeNull();
	expect(diskPriceOf([...items, P10, { ...P10, effectiveStartDate: "2016-01-01T00:00:00Z", retailPrice: 5 }], "P10 LRS", NOW_MS)).toBe(
		21_680_000n,
	);
});
