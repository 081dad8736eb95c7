import { z } from "zod";
import { PREMIUM_SSD, type RetailItem, retailItemSchema } from "./retail-items.ts";

/** Public and the same for everyone: it requires no credentials. */
export const PRICE_LIST = "https://prices.azure.com/api/retail/prices";

const PAGE_TIMEOUT_MS = 20_000;
/** A list of a few sizes in one region has one or two pages. */
const PAGES_MAX = 200;

const pageSchema = z.object({ BillingCurrency: z.string(), Items: z.array(retailItemSchema), NextPageLink: z.string().nullish() });

/**
 * Reads Azure's public price list for these sizes in one region, all pages. Requires no credentials.
 * @throws Error with what happened and why, also for a list in a currency other than USD
 */
export function readRetailItems(listUrl: string, region: string, sizes: readonly string[]): Promise<RetailItem[]> {
	const anySize = sizes.map((size) => `armSkuName eq '${size}'`).join(" or ");
	return readItems(
		listUrl,
		region,
		`serviceName eq 'Virtual Machines' and priceType eq 'Consumption' and armRegionName eq '${region}' and (${anySize})`,
	);
}

/**
 * The same for the Premium SSDs of one tier, such as `P10 LRS`.
 * @throws Error
 */
export function readDiskItems(listUrl: string, region: string, tier: string): Promise<RetailItem[]> {
	const what = `serviceName eq 'Storage' and productName eq '${PREMIUM_SSD}' and skuName eq '${tier}'`;
	return readItems(listUrl, region, `${what} and priceType eq 'Consumption' and armRegionName eq '${region}'`);
}

async function readItems(listUrl: string, region: string, filter: string): Promise<RetailItem[]> {
	const items: RetailItem[] = [];
	let next: string | null = firstPage(listUrl, filter);
	for (let pages = 0; next !== null; pages++) {
		if (pages >= PAGES_MAX) throw new Error(`Azure's price list for ${region} has more than ${PAGES_MAX} pages`);
		const page: z.output<typeof pageSchema> = await readPage(next, region);
		items.push(...page.Items);
		next = page.NextPageLink ? sameHost(page.NextPageLink, listUrl, region) : null;
	}
	return items;
}

function firstPage(listUrl: string, filter: string): string {
	const url = new URL(listUrl);
	url.searchParams.set("currencyCode", "USD");
	url.searchParams.set("$filter", filter);
	return url.href;
}

async function readPage(url: string, region: string): Promise<z.output<typeof pageSchema>> {
	const answer = await fetch(url, { signal: AbortSignal.timeout(PAGE_TIMEOUT_MS), headers: { accept: "application/json" } });
	if (!answer.ok) {
		await answer.body?.cancel();
		throw new Error(`Azure's price list returned ${answer.status} for ${region}`);
	}
	const page = pageSchema.safeParse(await answer.json());
	if (!page.success) throw new Error(`could not parse Azure's price list for ${region}: ${z.prettifyError(page.error)}`);
	const foreign = [page.data.BillingCurrency, ...page.data.Items.map(({ currencyCode }) => currencyCode)].find((code) => code !== "USD");
	if (foreign !== undefined) throw new Error(`Azure's price list for ${region} is in ${foreign}; only USD is supported`);
	return page.data;
}

/** A link to another host is not followed: the list would come from an unknown server. */
function sameHost(link: string, listUrl: string, region: string): string {
	const url = new URL(link, listUrl);
	if (url.hostname !== new URL(listUrl).hostname)
		throw new Error(`the next page of Azure's price list for ${region} is on another host, ${url.hostname}`);
	return url.href;
}
