import { z } from "zod";
import { usdToMicro } from "#server/kernel/money.ts";
import { type DiskAsked, wholeDisk } from "../../disk-prices.ts";
import type { ListedPrice } from "../../live-prices/merge-prices.ts";

const dimensionSchema = z.object({
	unit: z.string(),
	beginRange: z.string(),
	pricePerUnit: z.record(z.string(), z.string().regex(/^\d+(\.\d+)?$/)),
});
const productSchema = z.object({
	product: z.object({ attributes: z.record(z.string(), z.string()) }),
	terms: z.object({
		OnDemand: z.record(z.string(), z.object({ priceDimensions: z.record(z.string(), dimensionSchema) })).default({}),
	}),
});
type Product = z.output<typeof productSchema>;

/** Selects shared Linux machines without a fixed term. Capacity blocks cost nothing per hour, and Outposts have other prices. */
const ON_DEMAND_LINUX: Readonly<Record<string, string>> = {
	...{ operatingSystem: "Linux", preInstalledSw: "NA", tenancy: "Shared", capacitystatus: "Used" },
	...{ marketoption: "OnDemand", locationType: "AWS Region" },
};

/**
 * Returns the on-demand prices of the machines among AWS's products, which are JSON strings.
 * @throws Error for a product in another format, and for a price in a currency other than USD
 */
export function machinePricesOf(texts: readonly string[]): ListedPrice[] {
	return texts.map(readProduct).flatMap((product) => {
		const { instanceType, regionCode: region, ...attributes } = product.product.attributes;
		// Lists from before an attribute was introduced lack it.
		const fits = Object.entries(ON_DEMAND_LINUX).every(([name, value]) => (attributes[name] ?? value) === value);
		if (instanceType === undefined || region === undefined || !fits) return [];
		return dimensionsOf(product)
			.filter(({ unit }) => unit === "Hrs")
			.map((dimension) => {
				const usd = usdOf(dimension, `${instanceType} in ${region}`);
				return { instanceType, region, capacityType: "on_demand" as const, microUsdPerHour: microOf(usd) };
			});
	});
}

/**
 * Returns the monthly price of a volume among these products, or null if there is none.
 * @throws Error also for two prices
 */
export function volumePriceOf(texts: readonly string[], region: string, { type, gib }: DiskAsked): bigint | null {
	const prices = texts.map(readProduct).flatMap((product) => {
		const { regionCode, volumeApiName, usagetype = "" } = product.product.attributes;
		// Additional purchased performance is listed next to the volume, with other usage types.
		if (regionCode !== region || volumeApiName !== type || !usagetype.endsWith(`EBS:VolumeUsage.${type}`)) return [];
		return dimensionsOf(product).filter(({ unit, beginRange }) => unit === "GB-Mo" && beginRange === "0");
	});
	const [price, ...others] = prices;
	if (others.length > 0) throw new Error(`AWS's price list has ${others.length + 1} prices for ${type} in ${region}`);
	return price === undefined ? null : wholeDisk(usdOf(price, `${type} in ${region}`), gib);
}

function readProduct(text: string): Product {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		throw new Error("could not parse AWS's price list: a product is not valid JSON");
	}
	const product = productSchema.safeParse(value);
	if (!product.success) throw new Error(`could not parse AWS's price list: ${z.prettifyError(product.error)}`);
	return product.data;
}

function dimensionsOf({ terms }: Product): z.output<typeof dimensionSchema>[] {
	return Object.values(terms.OnDemand).flatMap(({ priceDimensions }) => Object.values(priceDimensions));
}

function usdOf({ pricePerUnit }: z.output<typeof dimensionSchema>, what: string): string {
	const usd = pricePerUnit["USD"];
	if (usd === undefined) throw new Error(`AWS's price list has ${what} in ${Object.keys(pricePerUnit).join(", ")}; only USD is supported`);
	return usd;
}

/** The list has up to ten decimals; anything below a millionth of a dollar is rounded. */
function microOf(usd: string): bigint {
	const [whole = "0", fraction = ""] = usd.split(".");
	return usdToMicro(`${whole}.${fraction.slice(0, 6).padEnd(6, "0")}`) + (Number(fraction[6] ?? 0) >= 5 ? 1n : 0n);
}
