import type { EC2Client } from "@aws-sdk/client-ec2";
import { z } from "zod";
import { type DiskAsked, wholeDisk } from "../disk-prices.ts";

/** The price list of all regions is served from a few of them. */
const PRICE_LIST = "https://api.pricing.us-east-1.amazonaws.com";
const PRICE_LIST_REGION = "us-east-1";
const TARGET = "AWSPriceListService.GetProducts";

const answerSchema = z.object({ PriceList: z.array(z.string()) });
const productSchema = z.object({
	product: z.object({
		productFamily: z.string(),
		attributes: z.object({ regionCode: z.string(), volumeApiName: z.string().optional(), usagetype: z.string() }),
	}),
	terms: z.object({
		OnDemand: z.record(
			z.string(),
			z.object({
				priceDimensions: z.record(
					z.string(),
					z.object({ unit: z.string(), beginRange: z.string(), pricePerUnit: z.object({ USD: z.string() }) }),
				),
			}),
		),
	}),
});

/**
 * Price of such a volume for a month by AWS's price list (GetProducts, which needs `pricing:GetProducts`), or null when it has
 * none. EC2's client signs: its account, its keys and its clock are those of the machines.
 * @throws Error when the list refuses or is not understood
 */
export async function readVolumePrice(
	client: EC2Client,
	options: { endpoint: string | undefined; timeoutMs: number },
	region: string,
	{ type, gib }: DiskAsked,
): Promise<bigint | null> {
	const term = (Field: string, Value: string) => ({ Type: "TERM_MATCH", Field, Value });
	const Filters = [term("productFamily", "Storage"), term("volumeApiName", type), term("regionCode", region)];
	const body = JSON.stringify({ ServiceCode: "AmazonEC2", FormatVersion: "aws_v1", MaxResults: 100, Filters });
	const url = new URL(options.endpoint ?? PRICE_LIST);
	const headers = await signedHeaders(client, url, body);
	const answer = await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(options.timeoutMs) });
	const text = await answer.text();
	if (!answer.ok) throw new Error(`AWS's price list answered ${answer.status}: ${text.slice(0, 200)}`);
	return priceIn(answerSchema.parse(JSON.parse(text)).PriceList, region, { type, gib });
}

function priceIn(list: readonly string[], region: string, { type, gib }: DiskAsked): bigint | null {
	const prices = list.flatMap((text) => {
		const { product, terms } = productSchema.parse(JSON.parse(text));
		const { regionCode, volumeApiName, usagetype } = product.attributes;
		// Performance that is bought beyond the free one stands beside the volume, under other uses.
		if (regionCode !== region || volumeApiName !== type || !usagetype.endsWith(`EBS:VolumeUsage.${type}`)) return [];
		return Object.values(terms.OnDemand).flatMap(({ priceDimensions }) => Object.values(priceDimensions));
	});
	const [price, ...others] = prices.filter(({ unit, beginRange }) => unit === "GB-Mo" && beginRange === "0");
	if (others.length > 0) throw new Error(`AWS's price list has ${type} in ${region} at ${others.length + 1} prices`);
	return price === undefined ? null : wholeDisk(price.pricePerUnit.USD, gib);
}

async function signedHeaders(client: EC2Client, url: URL, body: string): Promise<Record<string, string>> {
	const signing = { signingRegion: PRICE_LIST_REGION, signingService: "pricing" };
	const scheme = { name: "sigv4", signingName: "pricing", signingRegion: PRICE_LIST_REGION, properties: {} };
	const signer = await client.config.signer(scheme);
	const request = {
		...{ method: "POST", protocol: url.protocol, hostname: url.hostname, path: "/", query: {}, body },
		...(url.port === "" ? {} : { port: Number(url.port) }),
		headers: { host: url.host, "content-type": "application/x-amz-json-1.1", "x-amz-target": TARGET },
	};
	const { headers } = await signer.sign(request, signing);
	// fetch writes it itself, the same one.
	return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "host"));
}
