import { z } from "zod";

/** Compute Engine's id in the Cloud Billing Catalog. */
const SERVICE = "6F81-5844-456A";
/** Machines and their disks, and TPUs in any family: recorded rows contain only the group. */
const FAMILIES: ReadonlySet<string> = new Set(["Compute", "Storage"]);
const isWanted = ({ category }: Sku) => FAMILIES.has(category.resourceFamily) || category.resourceGroup === "TPU";
const PAGE_SIZE = 5_000;
/** Compute Engine has about ten pages. An endpoint that returns tokens forever is an error, not a loop. */
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

/** Requests a Google URL with the required credentials. */
export type FetchJson = (url: string, signal: AbortSignal) => Promise<unknown>;

/**
 * Returns the prices of Compute Engine's processors, memory, GPUs, TPUs and disks, all pages. Rows of another form are skipped:
 * the catalog contains thousands of other products, and missing ones keep the snapshot's price.
 * @throws Error if the catalog does not respond, or has another format
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
	throw new Error(`the catalog has more than ${PAGES_MAX} pages`);
}
