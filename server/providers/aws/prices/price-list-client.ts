import { type Filter, type FilterType, type GetProductsCommandInput, PricingClient, paginateGetProducts } from "@aws-sdk/client-pricing";
import type { DiskAsked } from "../../disk-prices.ts";
import type { ListedPrice } from "../../live-prices/merge-prices.ts";
import { readPages } from "../answers.ts";
import { clientConfig } from "../client-config.ts";
import type { ParsedAwsSettings } from "../settings.ts";
import { machinePricesOf, volumePriceOf } from "./products.ts";

const PAGE_SIZE = 100;
/** The longest value that a filter accepts. */
const VALUE_MAX = 1_024;

/** AWS's price list (GetProducts, which requires `pricing:GetProducts`). Throttled calls are retried automatically. */
export class AwsPriceList {
	readonly #settings: ParsedAwsSettings;
	#client: PricingClient | null = null;

	constructor(settings: ParsedAwsSettings) {
		this.#settings = settings;
	}

	/**
	 * Returns the on-demand prices of Linux machines of these types in the regions.
	 * @throws DriverError if the list does not respond; Error if it has another format or currency, or none of the prices
	 */
	async machinePrices(regions: readonly string[], instanceTypes: readonly string[]): Promise<ListedPrice[]> {
		const what = `price list of machines in ${regions.join(", ")}`;
		const prices: ListedPrice[] = [];
		for (const types of joinedWithin(instanceTypes, VALUE_MAX)) {
			for (const places of joinedWithin(regions, VALUE_MAX)) {
				const products = await this.#products(what, [
					filter("instanceType", types, "ANY_OF"),
					filter("regionCode", places, "ANY_OF"),
					filter("operatingSystem", "Linux"),
					filter("tenancy", "Shared"),
					filter("preInstalledSw", "NA"),
					filter("capacitystatus", "Used"),
				]);
				prices.push(...machinePricesOf(products));
			}
		}
		// A list without any prices was misread, or was asked the wrong question.
		if (prices.length === 0) throw new Error(`AWS's ${what} has none of the ${instanceTypes.length} requested types`);
		return prices;
	}

	/**
	 * Returns the monthly price of such a volume, or null if the list has none.
	 * @throws DriverError; Error for a list in another format
	 */
	async volumePrice(region: string, disk: DiskAsked): Promise<bigint | null> {
		const filters = [filter("productFamily", "Storage"), filter("volumeApiName", disk.type), filter("regionCode", region)];
		return volumePriceOf(await this.#products(`price list of disks in ${region}`, filters), region, disk);
	}

	close(): void {
		this.#client?.destroy();
		this.#client = null;
	}

	#products(what: string, Filters: Filter[]): Promise<string[]> {
		this.#client ??= new PricingClient(clientConfig(this.#settings, endpointRegion(this.#settings.regions[0] ?? "")));
		const input: GetProductsCommandInput = { ServiceCode: "AmazonEC2", FormatVersion: "aws_v1", Filters };
		// The SDK returns objects that wrap the texts.
		return readPages(what, paginateGetProducts({ client: this.#client, pageSize: PAGE_SIZE }, input), (page) =>
			page.PriceList?.map(String),
		);
	}
}

/** The list of all regions is served from three; this returns the one nearest to the site. */
export function endpointRegion(region: string): string {
	if (/^(eu|il|me|af)-/.test(region)) return "eu-central-1";
	return region.startsWith("ap-") ? "ap-south-1" : "us-east-1";
}

function filter(Field: string, Value: string, Type: FilterType = "TERM_MATCH"): Filter {
	return { Type, Field, Value };
}

/** Joins the values with commas into as few strings as fit. */
function joinedWithin(values: readonly string[], max: number): string[] {
	const texts: string[] = [];
	for (const value of values) {
		const last = texts.at(-1);
		if (last !== undefined && last.length + 1 + value.length <= max) texts[texts.length - 1] = `${last},${value}`;
		else texts.push(value);
	}
	return texts;
}
