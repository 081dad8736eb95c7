import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { microToUsdText } from "#server/kernel/money.ts";
import type { DiskRate } from "#server/rates/disks.ts";
import { type Answer, jsonAnswer, readBody } from "../../shared/http/answer.ts";
import type { World } from "../world.ts";

const MAX_BODY_BYTES = 64 * 1024;
const TARGET = "AWSPriceListService.GetProducts";

const requestSchema = z.strictObject({
	ServiceCode: z.literal("AmazonEC2"),
	FormatVersion: z.literal("aws_v1").optional(),
	MaxResults: z.number().int().min(1).max(100).optional(),
	Filters: z.array(z.strictObject({ Type: z.literal("TERM_MATCH"), Field: z.string(), Value: z.string() })).default([]),
});

/** AWS's price list speaks JSON 1.1 and says by a header what is asked of it; EC2's own protocol has no such header. */
export function isForPriceList(request: IncomingMessage): boolean {
	return String(request.headers["x-amz-target"] ?? "").startsWith("AWSPriceListService.");
}

/** GetProducts of EC2's volumes: products as texts of JSON, as AWS has them. Machines are not in it. */
export async function answerPriceList({ options }: World, request: IncomingMessage): Promise<Answer> {
	const refuse = (type: string, message: string) => jsonAnswer(400, { __type: type, Message: message });
	const key = /Credential=([^/]+)\/\d{8}\/[^/]+\/pricing\/aws4_request/.exec(request.headers.authorization ?? "")?.[1];
	if (key === undefined || !options.accessKeyIds.includes(key))
		return refuse("UnrecognizedClientException", "The security token included in the request is invalid.");
	if (request.headers["x-amz-target"] !== TARGET) return refuse("UnknownOperationException", `This endpoint has ${TARGET} alone.`);
	const asked = requestSchema.safeParse(JSON.parse((await readBody(request, MAX_BODY_BYTES)) || "null"));
	if (!asked.success) return refuse("InvalidParameterException", z.prettifyError(asked.error));
	const products = options.disks.filter((disk) => asked.data.Filters.every(({ Field, Value }) => attributesOf(disk)[Field] === Value));
	return jsonAnswer(200, { FormatVersion: "aws_v1", PriceList: products.map((disk) => JSON.stringify(productOf(disk))) });
}

function attributesOf({ region, type }: DiskRate): Record<string, string> {
	const usagetype = `${region}-EBS:VolumeUsage.${type}`;
	return {
		productFamily: "Storage",
		regionCode: region,
		volumeApiName: type,
		usagetype,
		locationType: "AWS Region",
		servicecode: "AmazonEC2",
	};
}

function productOf(disk: DiskRate) {
	const { productFamily, ...attributes } = attributesOf(disk);
	const sku = `EMULATED.${disk.region}.${disk.type}`;
	const dimension = { unit: "GB-Mo", beginRange: "0", endRange: "Inf", pricePerUnit: { USD: microToUsdText(disk.microUsdPerMonth) } };
	const term = { sku, priceDimensions: { [`${sku}.rate`]: dimension }, termAttributes: {} };
	return { product: { productFamily, attributes, sku }, serviceCode: "AmazonEC2", terms: { OnDemand: { [`${sku}.term`]: term } } };
}
