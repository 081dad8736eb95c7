import { RunInstancesCommand } from "@aws-sdk/client-ec2";
import { GetProductsCommand, type GetProductsCommandInput, PricingClient, paginateGetProducts } from "@aws-sdk/client-pricing";
import { ListServiceQuotasCommand, ServiceQuotasClient } from "@aws-sdk/client-service-quotas";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_ACCESS_KEY_ID } from "./options.ts";
import { launchOf, SPOT, startTestEmulator, type TestEmulator } from "./testing/fixture.ts";

let emulator: TestEmulator;
const closers: (() => void)[] = [];
beforeAll(async () => {
	const disks = [{ region: "us-east-1", type: "gp3", tierGib: null, microUsdPerMonth: 80_000n }];
	emulator = await startTestEmulator({ disks, vcpuQuotas: { "L-DB2E81BA": 10, "L-3819A6DF": 4, "L-417A185B": 0 } });
});
afterAll(async () => {
	for (const close of closers) close();
	await emulator.dispose();
});

function configOf(region: string, accessKeyId = DEFAULT_ACCESS_KEY_ID) {
	return { endpoint: emulator.url, region, maxAttempts: 1, credentials: { accessKeyId, secretAccessKey: "any" } };
}
function pricing(region = "us-east-1", accessKeyId = DEFAULT_ACCESS_KEY_ID): PricingClient {
	const client = new PricingClient(configOf(region, accessKeyId));
	closers.push(() => client.destroy());
	return client;
}
function quotas(region = "us-east-1"): ServiceQuotasClient {
	const client = new ServiceQuotasClient(configOf(region));
	closers.push(() => client.destroy());
	return client;
}
const filter = (Field: string, Value: string, Type: "TERM_MATCH" | "ANY_OF" | "NONE_OF" = "TERM_MATCH") => ({ Type, Field, Value });
const g5 = filter("instanceType", "g5.xlarge");

async function usagesOf(Filters: GetProductsCommandInput["Filters"]): Promise<(string | undefined)[]> {
	const { PriceList = [] } = await pricing().send(new GetProductsCommand({ ServiceCode: "AmazonEC2", Filters }));
	return PriceList.map((text: unknown) =>
		/"operatingSystem":"(\w+)".*"capacitystatus":"(\w+)","marketoption":"(\w+)"/.exec(String(text))?.slice(1).join(" "),
	);
}

describe("the price list", () => {
	it("lists a machine once for each purchase option, separated by filters", async () => {
		const here = [g5, filter("regionCode", "us-east-1")];
		expect((await usagesOf(here)).sort()).toEqual([
			"Linux UnusedCapacityReservation OnDemand",
			"Linux Used CapacityBlock",
			"Linux Used OnDemand",
			"Windows Used OnDemand",
		]);
		expect(
			await usagesOf([...here, filter("capacitystatus", "Used"), filter("operatingSystem", "Linux"), filter("marketoption", "OnDemand")]),
		).toHaveLength(1);
		expect(
			await usagesOf([filter("instanceType", "g5.xlarge, p5.48xlarge", "ANY_OF"), filter("operatingSystem", "Linux", "NONE_OF")]),
		).toHaveLength(3);
	});

	it("returns pages, each product once", async () => {
		const skus: string[] = [];
		for await (const page of paginateGetProducts({ client: pricing(), pageSize: 3 }, { ServiceCode: "AmazonEC2", Filters: [g5] })) {
			expect(page.PriceList?.length).toBeLessThanOrEqual(3);
			skus.push(...(page.PriceList ?? []).map((text: unknown) => JSON.parse(String(text)).product.sku));
		}
		expect([skus.length, new Set(skus).size]).toEqual([8, 8]);
	});

	it("is served from three regions, to known keys, for fields of AWS's own schema", async () => {
		const ask = new GetProductsCommand({ ServiceCode: "AmazonEC2" });
		await expect(pricing("eu-central-1").send(ask)).resolves.toBeDefined();
		await expect(pricing("eu-west-1").send(ask)).rejects.toMatchObject({ name: "UnrecognizedClientException" });
		await expect(pricing("us-east-1", "AKIASTRANGER").send(ask)).rejects.toMatchObject({ name: "UnrecognizedClientException" });
		await expect(pricing().send(new GetProductsCommand({ ServiceCode: "AmazonS3" }))).rejects.toMatchObject({
			name: "InvalidParameterException",
		});
		const many = new GetProductsCommand({ ServiceCode: "AmazonEC2", MaxResults: 101 });
		await expect(pricing().send(many)).rejects.toMatchObject({ name: "InvalidParameterException" });
	});

	it.each([
		['{"ServiceCode":"AmazonEC2","Colour":"blue"}', "InvalidParameterException", "Colour is not recognized."],
		["{}", "InvalidParameterException", "ServiceCode must not be null."],
		['{"ServiceCode":7}', "InvalidParameterException", "ServiceCode must be a string."],
		[
			'{"ServiceCode":"AmazonEC2","Filters":[{"Type":"TERM_MATCH","Field":"a"}]}',
			"InvalidParameterException",
			"Filters.Value must not be null.",
		],
		["no json", "SerializationException", "The request is no JSON."],
	])("rejects %s", async (body, type, message) => {
		const authorization = `AWS4-HMAC-SHA256 Credential=${DEFAULT_ACCESS_KEY_ID}/20261121/us-east-1/pricing/aws4_request, SignedHeaders=host, Signature=0`;
		const headers = { authorization, "x-amz-target": "AWSPriceListService.GetProducts" };
		const answer = await fetch(emulator.url, { method: "POST", headers, body });
		expect(await answer.json()).toEqual({ __type: type, message });
	});

	it("is affected by faults scripted for it, but not by faults for a region", async () => {
		const ask = new GetProductsCommand({ ServiceCode: "AmazonEC2" });
		emulator.faults.add({ action: "GetProducts", error: { code: "ThrottlingException", message: "Rate exceeded" } });
		await expect(pricing().send(ask)).rejects.toMatchObject({ name: "ThrottlingException" });
		const id = emulator.faults.add({ action: "*", match: { region: "us-east-1" }, times: "always", error: { code: "InternalError" } });
		await expect(pricing().send(ask)).resolves.toBeDefined();
		await expect(quotas().send(new ListServiceQuotasCommand({ ServiceCode: "ec2" }))).rejects.toMatchObject({ name: "InternalError" });
		emulator.faults.remove(id);
	});
});

describe("quotas", () => {
	it("are listed with the account's values, page by page", async () => {
		const first = await quotas().send(new ListServiceQuotasCommand({ ServiceCode: "ec2", MaxResults: 2 }));
		expect(first.Quotas).toHaveLength(2);
		const second = await quotas().send(new ListServiceQuotasCommand({ ServiceCode: "ec2", MaxResults: 2, NextToken: first.NextToken }));
		expect([...(first.Quotas ?? []), ...(second.Quotas ?? [])].map((q) => [q.QuotaCode, q.QuotaName, q.Value])).toEqual([
			["L-3819A6DF", "All G and VT Spot Instance Requests", 4],
			["L-417A185B", "Running On-Demand P instances", 0],
			["L-DB2E81BA", "Running On-Demand G and VT instances", 10],
		]);
		const strange = quotas().send(new ListServiceQuotasCommand({ ServiceCode: "s3" }));
		await expect(strange).rejects.toMatchObject({ name: "NoSuchResourceException" });
	});

	it("reject a launch above them, separately for each purchase option and region", async () => {
		const launch = (overrides: Parameters<typeof launchOf>[0] = {}, region = "us-east-1") =>
			emulator.client(region).send(new RunInstancesCommand(launchOf(overrides)));
		await expect(launch({ InstanceType: "p5.48xlarge" })).rejects.toMatchObject({ name: "VcpuLimitExceeded" });
		// 10 vCPUs hold two machines of 4.
		expect((await launch({ MinCount: 1, MaxCount: 5 })).Instances).toHaveLength(2);
		await expect(launch()).rejects.toMatchObject({ name: "VcpuLimitExceeded", message: expect.stringContaining("limit of 10") });
		await launch({ InstanceMarketOptions: SPOT });
		await expect(launch({ InstanceMarketOptions: SPOT })).rejects.toMatchObject({ name: "MaxSpotInstanceCountExceeded" });
		await launch({}, "eu-west-1");
	});
});
