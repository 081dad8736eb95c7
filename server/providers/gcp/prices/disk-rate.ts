import type { Sku } from "./catalogue.ts";

/** What descriptions of a disk's space begin with; regional disks, which are two, begin with another word. */
const SPACE: Readonly<Record<string, string>> = {
	"pd-balanced": "Balanced PD Capacity",
	"pd-ssd": "SSD backed PD Capacity",
	"pd-standard": "Storage PD Capacity",
};

/**
 * Dollars for a GiB of such a disk for a month in a region, as the catalogue writes them; null when it has none.
 * @throws Error when it has two
 */
export function usdPerGibMonth(skus: readonly Sku[], region: string, type: string): string | null {
	const name = SPACE[type];
	if (name === undefined) return null;
	const prices = new Set(skus.filter((sku) => isSpace(sku, name) && sku.serviceRegions.includes(region)).flatMap(monthlyUsd));
	if (prices.size > 1) throw new Error(`the catalogue has ${name} in ${region} at ${prices.size} prices`);
	return [...prices][0] ?? null;
}

function isSpace({ description, category }: Sku, name: string): boolean {
	const named = description === name || description.startsWith(`${name} in `);
	return named && category.resourceFamily === "Storage" && category.usageType === "OnDemand";
}

function monthlyUsd({ pricingInfo }: Sku): string[] {
	const [pricing, ...others] = pricingInfo;
	if (!pricing || others.length > 0) return [];
	const { usageUnit, tieredRates } = pricing.pricingExpression;
	// The first GiBs are free in some places: a free tier is one of rate 0, and no price.
	const rates = tieredRates.map(({ unitPrice }) => unitPrice).filter(({ units, nanos }) => units !== "0" || nanos > 0);
	const [rate, ...more] = rates;
	if (usageUnit !== "GiBy.mo" || !rate || more.length > 0 || rate.currencyCode !== "USD") return [];
	return [`${rate.units}.${String(rate.nanos).padStart(9, "0")}`];
}
