import { z } from "zod";

/** Compute Engine, as the Cloud Billing Catalog knows it. */
const SERVICE = "6F81-5844-456A";
/** Machines and their disks, and whatever family TPUs are in: those who recorded their rows kept the group alone. */
const FAMILIES: ReadonlySet<string> = new Set(["Compute", "Storage"]);
const isWanted = ({ category }: Sku) => FAMILIES.has(category.resourceFamily) || category.resourceGroup === "TPU";
const PAGE_SIZE = 5_000;
/** Compute Engine has some ten pages; an endpoint that hands out tokens forever is an error, not a loop. */
const PAGES_MAX = 100;
const TIMEOUT_MS = 60_000;

const rateSchema = z.object({
	startUsageAmount: z.number(),
	unitPrice: z.object({ currencyCode: z.string(), units: z.string().regex(/^\d+$/), nanos: z.number().int().min(0).max(999_999_999) }),
});
const skuSchema = z.object({
	skuId: z.string(),
	description: z.string(),
	category: z.object({ resourceFamily: z.string(), resourceGroup: z.string().default(""), usageType: z.string() }),
	serviceRegions: z.array(z.string()),
	pricingInfo: z.array(z.object({ pricingExpression: z.object({ usageUnit: z.string(), tieredRates: z.array(rateSchema) }) })),
});
export type Sku = z.output<typeof skuSchema>;

const pageSchema = z.object({ skus: z.array(z.unknown()).default([]), nextPageToken: z.string().default("") });

/** Asks an address of Google's with whatever credentials it takes. */
export type FetchJson = (url: string, signal: AbortSignal) => Promise<unknown>;

/**
 * What Compute Engine's processors, memory, GPUs, TPUs and disks cost, all pages. Rows that are not of that form are left out: the
 * catalogue holds thousands of other things, and what is missing keeps the snapshot's price.
 * @throws Error when the catalogue does not answer, or not in its form
 */
export async function readCatalogue(endpoint: string, fetchJson: FetchJson): Promise<Sku[]> {
	const skus: Sku[] = [];
	let pageToken = "";
	for (let pages = 0; pages < PAGES_MAX; pages += 1) {
		const query = new URLSearchParams({ currencyCode: "USD", pageSize: String(PAGE_SIZE), ...(pageToken ? { pageToken } : {}) });
		const answer = await fetchJson(`${endpoint}/v1/services/${SERVICE}/skus?${query}`, AbortSignal.timeout(TIMEOUT_MS));
		const page = pageSchema.parse(answer);
		for (const row of page.skus) {
			const sku = skuSchema.safeParse(row);
			if (sku.success && isWanted(sku.data)) skus.push(sku.data);
		}
		pageToken = page.nextPageToken;
		if (pageToken === "") return skus;
	}
	throw new Error(`the catalogue has more than ${PAGES_MAX} pages`);
}
