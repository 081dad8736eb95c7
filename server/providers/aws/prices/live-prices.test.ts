import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { quarantineOf } from "#server/domain/quarantine.ts";
import { type Ec2Emulator, startEc2Emulator } from "#server/emulators/aws/emulator.ts";
import { DEFAULT_ACCESS_KEY_ID } from "#server/emulators/aws/options.ts";
import { ManualClock } from "#server/kernel/clock.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { mergePrices } from "../../live-prices/merge-prices.ts";
import type { DatedRate } from "../../snapshot-rate.ts";
import { AwsDriver } from "../driver.ts";
import { awsSettingsSchema } from "../settings.ts";
import { awsSiteKind } from "../site-kind.ts";
import { AwsPriceList, endpointRegion } from "./price-list-client.ts";

const NOW_MS = Date.parse("2026-11-20T12:00:00Z");
const TYPE = "g5.xlarge";
const PRICE = { asOf: "2026-07-20", source: "shipped" };
const shipped = (region: string, microUsdPerHour = 1_000_000n): DatedRate => ({
	...{ instanceType: TYPE, region, zone: null, accelerator: "A10G-24GB", gpus: 1, vcpus: 4, memoryGiB: 16 },
	onDemand: { microUsdPerHour, ...PRICE },
	spot: null,
});

const stateDir = mkdtempSync(path.join(tmpdir(), "spillway-aws-prices-"));
let emulator: Ec2Emulator;
beforeAll(async () => {
	const regions = ["us-east-1", "eu-west-1"].map((region, i) => ({
		...{ region, onDemandMicroUsdPerHour: i === 0 ? 1_006_000n : 1_123_000n },
		zones: [{ zone: `${region}a`, spotMicroUsdPerHour: null }],
	}));
	emulator = await startEc2Emulator({
		...{
			port: 0,
			stateDir,
			bootDelayMs: 0,
			terminateDelayMs: 0,
			spotNoticeMs: 0,
			seed: 1,
			vcpuQuotas: { "L-DB2E81BA": 64, "L-417A185B": 0 },
		},
		catalog: [{ instanceType: TYPE, vcpus: 4, memoryGiB: 16, gpus: 1, gpuModel: "A10G-24GB", regions }],
	});
});
afterEach(() => emulator.faults.clear());
afterAll(async () => {
	await emulator.stop({ killInstances: true });
	rmSync(stateDir, { recursive: true, force: true });
});

const settingsAt = (endpoint: string) => ({
	...{ endpoint, regions: ["us-east-1", "eu-west-1"], imageId: "ami-0123456789abcdef0" },
	credentials: { accessKeyId: DEFAULT_ACCESS_KEY_ID, secretAccessKey: "any" },
});

/** The on-demand offers in us-east-1, as the driver reports them on each call. */
function offered(rates: readonly DatedRate[], changes: { livePrices?: boolean } = { livePrices: true }) {
	const clock = new ManualClock(NOW_MS);
	const settings = { controlPlane: "prices", ...settingsAt(emulator.url), ...changes };
	const driver = new AwsDriver("aws", { settings, listPrices: () => rates, clock });
	onTestFinished(() => driver.close());
	const look = async () => {
		const { offers } = await driver.offers();
		const { microUsdPerHour, priceSource } = offers.find(({ region }) => region === "us-east-1") ?? {};
		return { microUsdPerHour, priceSource };
	};
	return { look, clock };
}

describe("on-demand prices", () => {
	it("come from AWS's list, with their day, and override the shipped ones", async () => {
		const live = { microUsdPerHour: 1_006_000n, priceSource: "list price of 2026-11-20: AWS Price List" };
		expect(await offered([shipped("us-east-1"), shipped("eu-west-1")]).look()).toEqual(live);
		expect(await offered([shipped("eu-west-1")]).look()).toEqual(live);
	});

	it("come from the shipped list if live ones are turned off, and by default on an emulated endpoint", async () => {
		const list = { microUsdPerHour: 1_000_000n, priceSource: "list price of 2026-07-20: shipped" };
		expect(await offered([shipped("us-east-1")], { livePrices: false }).look()).toEqual(list);
		expect(await offered([shipped("us-east-1")], {}).look()).toEqual(list);
	});

	it.each([
		["below", 20_000_000n],
		["above", 50_000n],
	])("ten times %s their neighbors are rejected and reported, and the shipped one remains in use", async (way, usual) => {
		const regions = ["us-east-1", "us-east-2", "us-west-2", "ca-central-1"];
		const { microUsdPerHour, priceSource = "" } = await offered(regions.map((region) => shipped(region, usual))).look();
		expect(microUsdPerHour).toBe(usual);
		expect(quarantineOf(priceSource)).toMatch(new RegExp(`\\$1\\.006 is more than 10 times ${way} its neighbors'`));
	});

	it("with two different values in the list are rejected and reported; two equal ones count as one", () => {
		const at = (microUsdPerHour: bigint) => ({
			instanceType: TYPE,
			region: "us-east-1",
			capacityType: "on_demand" as const,
			microUsdPerHour,
		});
		const merged = (...prices: ReturnType<typeof at>[]) =>
			mergePrices([shipped("us-east-1")], { source: "AWS Price List", asOf: "2026-11-20", prices })[0]?.onDemand;
		const { microUsdPerHour, source = "" } = merged(at(1_006_000n), at(1_100_000n)) ?? {};
		expect([microUsdPerHour, quarantineOf(source)]).toEqual([1_000_000n, "a price was refused: the list has it at $1.006 and $1.1"]);
		expect(merged(at(1_006_000n), at(1_006_000n))?.microUsdPerHour).toBe(1_006_000n);
	});

	it("are requested again immediately after throttling", async () => {
		emulator.faults.add({ action: "GetProducts", error: { code: "ThrottlingException", message: "Rate exceeded" } });
		expect((await offered([shipped("us-east-1")]).look()).microUsdPerHour).toBe(1_006_000n);
	});

	it("come from the shipped list, with the reason, until the right to read the live list is granted", async () => {
		const message = "User is not authorized to perform: pricing:GetProducts";
		const fault = emulator.faults.add({ action: "GetProducts", times: "always", error: { code: "AccessDeniedException", message } });
		const { look, clock } = offered([shipped("us-east-1")]);
		const priceSource = expect.stringMatching(
			/^list price of 2026-07-20: shipped; the live price list could not be read: .*pricing:GetProducts/,
		);
		expect(await look()).toEqual({ microUsdPerHour: 1_000_000n, priceSource });
		emulator.faults.remove(fault);
		expect((await look()).microUsdPerHour).toBe(1_000_000n);
		clock.advance(10 * MINUTE_MS);
		expect((await look()).microUsdPerHour).toBe(1_006_000n);
	});
});

describe("the list", () => {
	type Page = { status?: number; body: object };
	const productOf = (currency = "USD") =>
		JSON.stringify({
			product: { attributes: { instanceType: TYPE, regionCode: "us-east-1" } },
			terms: { OnDemand: { a: { priceDimensions: { b: { unit: "Hrs", beginRange: "0", pricePerUnit: { [currency]: "1.0" } } } } } },
		});

	async function readOf(pages: (token: string | undefined) => Page) {
		const asked: { region: string; body: Record<string, unknown> }[] = [];
		const server = createServer(async (request, response) => {
			const body = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString());
			asked.push({ region: request.headers.authorization?.split("/")[2] ?? "", body });
			const page = pages(body.NextToken);
			response.writeHead(page.status ?? 200, { "content-type": "application/x-amz-json-1.1" }).end(JSON.stringify(page.body));
		});
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		const address = server.address();
		const endpoint = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
		const list = new AwsPriceList(awsSettingsSchema.parse({ controlPlane: "prices", ...settingsAt(endpoint), regions: ["eu-west-1"] }));
		onTestFinished(() => {
			list.close();
			server.closeAllConnections();
			server.close();
		});
		return { asked, prices: await list.machinePrices(["us-east-1"], [TYPE, "p5.48xlarge"]).catch((error: Error) => error) };
	}

	it("is read page by page, for the requested types and regions, from the endpoint nearest to the site", async () => {
		const { asked, prices } = await readOf((token) => ({ body: { PriceList: [productOf()], ...(token ? {} : { NextToken: "two" }) } }));
		expect(prices).toHaveLength(2);
		expect(asked.map(({ region, body }) => [region, body["NextToken"]])).toEqual([
			["eu-central-1", undefined],
			["eu-central-1", "two"],
		]);
		expect(asked[0]?.body).toMatchObject({
			ServiceCode: "AmazonEC2",
			Filters: expect.arrayContaining([
				{ Type: "ANY_OF", Field: "instanceType", Value: `${TYPE},p5.48xlarge` },
				{ Type: "ANY_OF", Field: "regionCode", Value: "us-east-1" },
				{ Type: "TERM_MATCH", Field: "capacitystatus", Value: "Used" },
			]),
		});
	});

	it.each<[string, (token: string | undefined) => Page, RegExp]>([
		[
			"with a second page that fails",
			(token) =>
				token ? { status: 400, body: { __type: "InternalErrorException" } } : { body: { PriceList: [productOf()], NextToken: "two" } },
			/InternalErrorException/,
		],
		["in another currency", () => ({ body: { PriceList: [productOf("EUR")] } }), /in EUR; only USD is supported/],
		["without any of the machines", () => ({ body: { PriceList: [] } }), /has none of the 2 requested types/],
		["in another format", () => ({ body: { PriceList: ["{}"] } }), /could not parse/],
	])("%s is rejected as a whole", async (_what, pages, why) => {
		const { prices } = await readOf(pages);
		expect(prices).toBeInstanceOf(Error);
		expect(String(prices)).toMatch(why);
	});

	it.each([
		["us-west-2", "us-east-1"],
		["sa-east-1", "us-east-1"],
		["eu-north-1", "eu-central-1"],
		["me-south-1", "eu-central-1"],
		["ap-northeast-1", "ap-south-1"],
	])("of a site in %s is requested in %s", (region, wanted) => {
		expect(endpointRegion(region)).toBe(wanted);
	});
});

describe("the check of a site", () => {
	async function steps(ids: readonly string[]) {
		const kind = awsSiteKind({ listPrices: () => [shipped("us-east-1")], controlUrl: "http://127.0.0.1:3000" });
		const { credentials, ...settings } = { ...settingsAt(emulator.url), livePrices: true };
		const place = { siteId: "aws", settings, credentials, controlPlane: "prices" };
		const found = await Array.fromAsync(kind.check(place));
		return found.filter(({ id }) => ids.includes(id));
	}

	it("shows how many machines have a price, and the quotas on machines with GPUs", async () => {
		expect(await steps(["prices", "quota"])).toMatchObject([
			{ outcome: "passed", found: "AWS's price list: us-east-1: 1 machine types; eu-west-1: 1 machine types." },
			{
				outcome: "passed",
				found: expect.stringContaining("us-east-1: Running On-Demand P instances 0 vCPUs, Running On-Demand G and VT instances 64 vCPUs"),
			},
		]);
	});

	it("names the missing rights for them, and does not fail for that", async () => {
		emulator.faults.add({ action: "GetProducts", times: "always", error: { code: "AccessDeniedException" } });
		emulator.faults.add({ action: "ListServiceQuotas", times: "always", error: { code: "AccessDeniedException" } });
		expect(await steps(["prices", "quota"])).toMatchObject([
			{ outcome: "unknown", fix: expect.stringContaining("pricing:GetProducts") },
			{ outcome: "unknown", fix: expect.stringContaining("servicequotas:ListServiceQuotas") },
		]);
	});

	it("reports that the list cannot be read now", async () => {
		emulator.faults.add({ action: "GetProducts", times: "always", error: { code: "InternalErrorException", httpStatus: 500 } });
		expect(await steps(["prices"])).toMatchObject([{ outcome: "unknown", found: expect.stringContaining("InternalErrorException") }]);
	});
});
