import type { Sku } from "./catalogue.ts";

/** The start of descriptions of a disk's space. Regional disks, which are replicated, start with another word. */
const SPACE: Readonly<Record<string, string>> = {
	"pd-balanced": "Balanced PD Capacity",
	"pd-ssd": "SSD backed PD Capacity",
	"pd-standard": "Storage PD Capacity",
};

/**
 * Dollars per GiB and month for such a disk in a region, as written in the catalog; null if it has none.
 * @throws Error if it has two
 */
export function usdPerGibMonth(skus: readonly Sku[], region: string, type: string): string | null {
	const name = SPACE[type];
	if (name === undefined) return null;
	const prices = new Set(skus.filter((sku) => isSpace(sku, name) && sku.serviceRegions.includes(region)).flatMap(monthlyUsd));
	if (prices.size > 1) throw new Error(`the catalog has ${prices.size} prices for ${name} in ${region}`);
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
	// The first GiBs are free in some regions: a tier with rate 0 is not a price.
	const rates = tieredRates.map(({ unitPrice }) => unitPrice).filter(({ units, nanos }) => units !== "0" || nanos > 0);
	const [rate, ...more] = rates;
	if (usageUnit !== "GiBy.mo" || !rate || more.length > 0 || rate.currencyCode !== "USD") return [];
	return [`${rate.units}.${String(rate.nanos).padStart(9, "0")}`];
}
