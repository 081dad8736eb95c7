import { describe, expect, it } from "vitest";
import { machinePricesOf, volumePriceOf } from "./products.ts";

/** A product in the format of AWS's list, with an invented price. */
function product(changes: Record<string, string> = {}, price: Record<string, string> = { USD: "1.0060000000" }, unit = "Hrs"): string {
	const attributes = {
		...{ enhancedNetworkingSupported: "Yes", vcpu: "4", memory: "16 GiB", gpu: "1", instanceFamily: "GPU instance" },
		...{ instanceType: "g5.xlarge", regionCode: "us-east-1", location: "US East (N. Virginia)", locationType: "AWS Region" },
		...{ operatingSystem: "Linux", preInstalledSw: "NA", tenancy: "Shared", capacitystatus: "Used", marketoption: "OnDemand" },
		...{ usagetype: "BoxUsage:g5.xlarge", operation: "RunInstances", servicecode: "AmazonEC2", licenseModel: "No License required" },
		...changes,
	};
	const dimension = {
		unit,
		beginRange: "0",
		endRange: "Inf",
		description: "invented",
		appliesTo: [],
		rateCode: "A.B.C",
		pricePerUnit: price,
	};
	const term = {
		priceDimensions: { "A.B.C": dimension },
		sku: "A",
		effectiveDate: "2026-01-01T00:00:00Z",
		offerTermCode: "B",
		termAttributes: {},
	};
	return JSON.stringify({
		product: { productFamily: "Compute Instance", attributes, sku: "A" },
		...{ serviceCode: "AmazonEC2", version: "20261101", publicationDate: "2026-11-01T00:00:00Z" },
		terms: { OnDemand: { "A.B": term }, Reserved: { "A.R": { anything: true } } },
	});
}

describe("a machine of AWS's list", () => {
	it.each<[string, string, bigint[]]>([
		["is on demand", product(), [1_006_000n]],
		["is on-demand without fields that older lists lack", product().replace('"marketoption":"OnDemand",', ""), [1_006_000n]],
		["is rounded to a micro-dollar", product({}, { USD: "1.0061234567" }), [1_006_123n]],
		["is rounded half up", product({}, { USD: "0.0000005000" }), [1n]],
		["is omitted with Windows", product({ operatingSystem: "Windows" }), []],
		["is omitted with software", product({ preInstalledSw: "SQL Ent" }), []],
		["is omitted on dedicated hardware", product({ tenancy: "Dedicated" }), []],
		["is omitted as an unused reservation", product({ capacitystatus: "UnusedCapacityReservation" }), []],
		["is omitted as a capacity block", product({ marketoption: "CapacityBlock" }, { USD: "0.0000000000" }), []],
		["is omitted on an Outpost", product({ locationType: "AWS Outposts" }), []],
		["is omitted when it is not hourly", product({}, { USD: "700.00" }, "Quantity"), []],
		["is omitted when it is not sold on demand", JSON.stringify({ ...JSON.parse(product()), terms: {} }), []],
	])("%s", (_what, text, wanted) => {
		expect(machinePricesOf([text]).map(({ microUsdPerHour }) => microUsdPerHour)).toEqual(wanted);
	});

	it.each([
		["in another currency", product({}, { CNY: "9.1" }), /g5\.xlarge in us-east-1 in CNY; only USD is supported/],
		["with an invalid price", product({}, { USD: "free" }), /could not parse/],
		["below nothing", product({}, { USD: "-1.0" }), /could not parse/],
		["in another format", '{"product":{}}', /could not parse/],
		["that is not JSON", "<html>", /a product is not valid JSON/],
	])("%s rejects the list as a whole", (_what, text, why) => {
		expect(() => machinePricesOf([product(), text])).toThrow(why);
	});
});

describe("a volume of AWS's list", () => {
	const gp3 = (usd: string, usagetype = "EBS:VolumeUsage.gp3") =>
		product({ volumeApiName: "gp3", usagetype }, { USD: usd }, "GB-Mo").replace('"instanceType":"g5.xlarge",', "");
	const asked = { type: "gp3", gib: 100 };

	it("has a monthly price for its size, without additional throughput", () => {
		expect(volumePriceOf([gp3("0.0800000000"), gp3("0.04", "EBS:VolumeP-Throughput.gp3")], "us-east-1", asked)).toBe(8_000_000n);
		expect(volumePriceOf([gp3("0.08")], "eu-west-1", asked)).toBeNull();
	});

	it("is rejected with two prices or another currency", () => {
		expect(() => volumePriceOf([gp3("0.08"), gp3("0.09")], "us-east-1", asked)).toThrow(/2 prices for gp3 in us-east-1/);
		expect(() => volumePriceOf([gp3("0.08").replace('"USD"', '"EUR"')], "us-east-1", asked)).toThrow(/in EUR; only USD is supported/);
	});
});
