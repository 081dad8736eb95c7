import { type Filter, GetProducts$, type GetProductsRequest, type GetProductsResponse } from "@aws-sdk/client-pricing";
import { Ec2Error } from "../ec2-error.ts";
import { takePage } from "../paging.ts";
import { type Product, products, productText } from "../price-list.ts";
import { defineJsonAction } from "./json-action.ts";

/** Source: AWS Billing User Guide, "Price List Query API endpoints". */
const ENDPOINT_REGIONS = new Set(["us-east-1", "eu-central-1", "ap-south-1"]);
const VALUE_MAX = 1_024;

/** EC2's machines and volumes with their prices, as JSON strings in AWS' format. */
export const getProducts = defineJsonAction<GetProductsRequest, GetProductsResponse>({
	operation: GetProducts$,
	service: "pricing",
	regions: ENDPOINT_REGIONS,
	refusal: "InvalidParameterException",
	supports: ["ServiceCode", "FormatVersion", "MaxResults", "NextToken", "Filters.Type", "Filters.Field", "Filters.Value"],
	run({ ServiceCode: service, FormatVersion: format = "aws_v1", MaxResults: maxResults, NextToken: nextToken, Filters = [] }, { world }) {
		if (service !== "AmazonEC2") throw new Ec2Error("InvalidParameterException", `The emulated price list has no service ${service}.`);
		if (format !== "aws_v1") throw new Ec2Error("InvalidParameterException", `Invalid format version: ${format}.`);
		if (maxResults !== undefined && (maxResults < 1 || maxResults > 100))
			throw new Ec2Error("InvalidParameterException", `MaxResults must be between 1 and 100, not ${maxResults}.`);
		const tests = Filters.map(compile);
		const found = products(world).filter((product) => tests.every((test) => test(product)));
		const page = takePage(found, ({ sku }) => sku, { action: "GetProducts", maxResults, nextToken, min: 1, max: 100 });
		return {
			FormatVersion: format,
			PriceList: page.items.map(productText),
			...(page.nextToken === undefined ? {} : { NextToken: page.nextToken }),
		};
	},
});

function compile({ Type, Field = "", Value = "" }: Filter): (product: Product) => boolean {
	if (Value.length > VALUE_MAX) throw new Ec2Error("InvalidParameterException", `A filter's value has at most ${VALUE_MAX} characters.`);
	const values = Value.split(",").map((value) => value.trim());
	switch (Type) {
		case "TERM_MATCH":
		case "EQUALS":
			return ({ attributes }) => attributes[Field] === Value;
		case "CONTAINS":
			return ({ attributes }) => attributes[Field]?.includes(Value) ?? false;
		case "ANY_OF":
			return ({ attributes }) => values.includes(attributes[Field] ?? "");
		case "NONE_OF":
			return ({ attributes }) => attributes[Field] !== undefined && !values.includes(attributes[Field]);
		default:
			throw new Ec2Error("InvalidParameterException", `Invalid filter type: ${Type}.`);
	}
}
