import { microToUsdText } from "#server/kernel/money.ts";
import type { DiskRate } from "#server/rates/disks.ts";
import type { CatalogEntry, CatalogRegion } from "../shared/catalog-entry.ts";
import type { World } from "./world.ts";

/** One product of AWS's price list, with the attributes used in filters. */
export interface Product {
	sku: string;
	attributes: Record<string, string>;
	unit: "Hrs" | "GB-Mo";
	usd: string;
}

/**
 * The machines of the catalog and the disks. As in the real list, a machine appears several times: for Linux on demand, with
 * Windows, as unused reserved capacity, and as a capacity block, which costs nothing per hour.
 */
export function products({ catalog, options }: World): Product[] {
	const machines = catalog.types().flatMap((entry) => entry.regions.flatMap((place) => machineProducts(entry, place)));
	return [...machines, ...options.disks.map(volumeProduct)];
}

const KINDS = [
	{ name: "linux", differs: {}, timesPrice: 1n },
	{
		name: "windows",
		differs: { operatingSystem: "Windows", licenseModel: "No License required", operation: "RunInstances:0002" },
		timesPrice: 2n,
	},
	{ name: "unused", differs: { capacitystatus: "UnusedCapacityReservation" }, timesPrice: 1n },
	{ name: "block", differs: { marketoption: "CapacityBlock", operation: "RunInstances:CB" }, timesPrice: 0n },
] as const;

function machineProducts({ instanceType, vcpus, memoryGiB, gpus }: CatalogEntry, place: CatalogRegion): Product[] {
	return KINDS.map(({ name, differs, timesPrice }) => ({
		sku: `EMULATED.${place.region}.${instanceType}.${name}`,
		attributes: {
			...{ productFamily: "Compute Instance", servicecode: "AmazonEC2", regionCode: place.region, locationType: "AWS Region" },
			...{ instanceType, vcpu: String(vcpus), memory: `${memoryGiB} GiB`, gpu: String(gpus), currentGeneration: "Yes" },
			...{ operatingSystem: "Linux", preInstalledSw: "NA", licenseModel: "No License required", operation: "RunInstances" },
			...{ tenancy: "Shared", capacitystatus: "Used", marketoption: "OnDemand", usagetype: `BoxUsage:${instanceType}` },
			...differs,
		},
		unit: "Hrs",
		usd: microToUsdText(place.onDemandMicroUsdPerHour * timesPrice),
	}));
}

function volumeProduct({ region, type, microUsdPerMonth }: DiskRate): Product {
	const usagetype = `${region}-EBS:VolumeUsage.${type}`;
	return {
		sku: `EMULATED.${region}.${type}`,
		attributes: {
			...{ productFamily: "Storage", servicecode: "AmazonEC2", regionCode: region, locationType: "AWS Region" },
			...{ volumeApiName: type, usagetype },
		},
		unit: "GB-Mo",
		usd: microToUsdText(microUsdPerMonth),
	};
}

/** AWS' format of a product in responses. */
export function productText({ sku, unit, usd, attributes: { productFamily, ...attributes } }: Product): string {
	const dimension = { unit, beginRange: "0", endRange: "Inf", pricePerUnit: { USD: usd }, appliesTo: [], rateCode: `${sku}.term.rate` };
	const term = { sku, offerTermCode: "JRTCKXETXF", effectiveDate: "2026-01-01T00:00:00Z", termAttributes: {} };
	const OnDemand = { [`${sku}.term`]: { ...term, priceDimensions: { [`${sku}.term.rate`]: dimension } } };
	return JSON.stringify({ product: { productFamily, attributes, sku }, serviceCode: "AmazonEC2", terms: { OnDemand } });
}
