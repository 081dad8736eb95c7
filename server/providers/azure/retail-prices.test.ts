import { createServer, type Server } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { ManualClock } from "#server/kernel/clock.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { mergePrices } from "../live-prices/merge-prices.ts";
import type { DatedRate } from "../snapshot-rate.ts";
import { azurePrices } from "./live-prices.ts";
import { readRetailItems } from "./retail-client.ts";
import { type RetailItem, retailPricesOf } from "./retail-items.ts";

const NOW_MS = Date.parse("2026-11-20T12:00:00Z");
const SIZE = "Standard_NC24ads_A100_v4";

/** A row in the format of Azure's list, with an invented price. */
const item = (changes: Partial<RetailItem> = {}): RetailItem => ({
	currencyCode: "USD",
	retailPrice: 3.673,
	armRegionName: "eastus",
	armSkuName: SIZE,
	productName: "Virtual Machines NCads A100 v4 Series",
	skuName: "NC24ads A100 v4",
	meterName: "NC24ads A100 v4",
	unitOfMeasure: "1 Hour",
	type: "Consumption",
	effectiveStartDate: "2022-06-01T00:00:00Z",
	isPrimaryMeterRegion: true,
	...changes,
});
const spotItem = (changes: Partial<RetailItem> = {}) =>
	item({ skuName: "NC24ads A100 v4 Spot", meterName: "NC24ads A100 v4 Spot", retailPrice: 1.4692, ...changes });

const shipped = (region: string, changes: Partial<DatedRate> = {}): DatedRate => ({
	instanceType: SIZE,
	region,
	zone: null,
	accelerator: "A100-80GB",
	gpus: 1,
	vcpus: 24,
	memoryGiB: 220,
	onDemand: { microUsdPerHour: 3_700_000n, asOf: "2026-06-18", source: "shipped" },
	spot: { microUsdPerHour: 1_500_000n, asOf: "2024-12-31", source: "shipped" },
	...changes,
});
const SNAPSHOT = [shipped("eastus"), shipped("westeurope"), shipped("westus3", { spot: null })];

describe("a row of Azure's list", () => {
	it.each<[string, RetailItem[], unknown[]]>([
		["is on demand", [item()], [["on_demand", 3_673_000n]]],
		["is spot", [spotItem()], [["spot", 1_469_200n]]],
		["is omitted with Windows", [item({ productName: "Virtual Machines NCads A100 v4 Series Windows" })], []],
		["is omitted at low priority", [item({ skuName: "NC24ads A100 v4 Low Priority", meterName: "x Low Priority" })], []],
		["is omitted for development subscriptions", [item({ type: "DevTestConsumption" })], []],
		["is omitted when it is not hourly", [item({ unitOfMeasure: "1/Month" })], []],
		["is omitted until it takes effect", [item({ effectiveStartDate: "2027-01-01T00:00:00Z" })], []],
		[
			"is replaced by a newer one",
			[item(), item({ retailPrice: 3.5, effectiveStartDate: "2026-01-01T00:00:00Z" })],
			[["on_demand", 3_500_000n]],
		],
		["is rounded to a micro-dollar", [item({ retailPrice: 3.67345678 })], [["on_demand", 3_673_457n]]],
	])("%s", (_what, items, wanted) => {
		expect(retailPricesOf(items, NOW_MS).map(({ capacityType, microUsdPerHour }) => [capacityType, microUsdPerHour])).toEqual(wanted);
	});
});

describe("a live price", () => {
	const merged = (...items: RetailItem[]) =>
		mergePrices(SNAPSHOT, { source: "Azure Retail Prices", prices: retailPricesOf(items, NOW_MS), asOf: "2026-11-20" });
	const at = (rates: readonly DatedRate[], region: string) => rates.find((rate) => rate.region === region);

	it("replaces the snapshot's, with its day and source, and leaves the others unchanged", () => {
		const rates = merged(item(), spotItem());
		expect(at(rates, "eastus")).toMatchObject({
			onDemand: { microUsdPerHour: 3_673_000n, asOf: "2026-11-20", source: "Azure Retail Prices" },
			spot: { microUsdPerHour: 1_469_200n, asOf: "2026-11-20" },
		});
		expect(at(rates, "westeurope")).toEqual(SNAPSHOT[1]);
	});

	it("adds spot if the snapshot has none, and regions that it does not contain", () => {
		const rates = merged(spotItem({ armRegionName: "westus3" }), item({ armRegionName: "newregion" }));
		expect(at(rates, "westus3")?.spot?.microUsdPerHour).toBe(1_469_200n);
		expect(at(rates, "newregion")).toMatchObject({ accelerator: "A100-80GB", onDemand: { microUsdPerHour: 3_673_000n }, spot: null });
	});

	it.each([
		["ten times below its neighbors", 0.3, /\$0\.3 is more than 10 times below its neighbors' \(\$3\.7\)/],
		["ten times above them", 40, /\$40 is more than 10 times above/],
		["of nothing", 0, /\$0 is not above zero/],
		["below nothing", -1, /\$-1 is not above zero/],
	])("%s is rejected, and reported if the snapshot's remains in use", (_what, retailPrice, why) => {
		const { onDemand } = at(merged(item({ retailPrice })), "eastus") ?? {};
		expect(onDemand).toMatchObject({ microUsdPerHour: 3_700_000n, asOf: "2026-06-18", source: expect.stringMatching(why) });
	});

	it("that is rejected without a shipped one leaves no price at all", () => {
		expect(at(merged(item({ armRegionName: "newregion", retailPrice: 0.01 })), "newregion")).toBeUndefined();
	});
});

describe("the list itself", () => {
	let server: Server | null = null;
	afterEach(() => {
		server?.closeAllConnections();
		server?.close();
	});

	/** A list on loopback: `pageOf` responds to a request with a page or a status. */
	async function serve(pageOf: (url: URL) => object | number): Promise<string> {
		const listening = createServer((request, response) => {
			const page = pageOf(new URL(request.url ?? "/", `http://${request.headers.host}`));
			if (typeof page === "number") response.writeHead(page).end("no");
			else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(page));
		});
		server = listening;
		await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
		const address = listening.address();
		return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/api/retail/prices`;
	}
	const page = (items: RetailItem[], NextPageLink: string | null = null) => ({
		BillingCurrency: "USD",
		Items: items,
		NextPageLink,
		Count: items.length,
	});

	it("is read page by page, for the requested region and sizes, in USD", async () => {
		const asked: string[] = [];
		const url = await serve((request) => {
			asked.push(request.search);
			const second = request.searchParams.get("$skip") === "100";
			return second ? page([spotItem()]) : page([item()], `${request.origin}${request.pathname}?$skip=100`);
		});
		expect(await readRetailItems(url, "eastus", [SIZE, "Standard_X"])).toHaveLength(2);
		expect(asked).toHaveLength(2);
		const first = new URLSearchParams(asked[0]);
		expect(first.get("currencyCode")).toBe("USD");
		expect(first.get("$filter")).toContain(`armRegionName eq 'eastus' and (armSkuName eq '${SIZE}' or armSkuName eq 'Standard_X')`);
	});

	it.each<[string, (url: URL) => object | number, RegExp]>([
		["in another currency", () => ({ ...page([item({ currencyCode: "EUR" })]) }), /is in EUR; only USD is supported/],
		[
			"with a next page on another host",
			() => page([item()], "https://prices.example.com/next"),
			/is on another host, prices\.example\.com/,
		],
		["without an end", (url) => page([], `${url.origin}${url.pathname}?more`), /more than 200 pages/],
		["in another format", () => ({ Items: [{}] }), /could not parse/],
		["that fails", () => 503, /returned 503/],
		[
			"with a second page that fails",
			(url) => (url.searchParams.has("$skip") ? 429 : page([item()], `${url.href}&$skip=100`)),
			/returned 429/,
		],
	])("%s is rejected as a whole", async (_what, pageOf, why) => {
		await expect(readRetailItems(await serve(pageOf), "eastus", [SIZE])).rejects.toThrow(why);
	});

	it("is read a few times a day; while it fails, the previous prices remain in use, or else the snapshot, with the reason", async () => {
		let answer: object | number = 503;
		let asked = 0;
		const clock = new ManualClock(NOW_MS);
		const url = await serve(() => {
			asked += 1;
			return answer;
		});
		const list = azurePrices(url, ["eastus"], () => SNAPSHOT, clock);
		const eastus = async () => (await list.current())[0]?.onDemand;
		expect(await eastus()).toMatchObject({ microUsdPerHour: 3_700_000n, source: expect.stringMatching(/could not be read: .*503/) });
		answer = page([item()]);
		expect((await eastus())?.microUsdPerHour).toBe(3_700_000n);
		expect(asked).toBe(1);
		clock.advance(10 * MINUTE_MS);
		expect(await eastus()).toEqual({ microUsdPerHour: 3_673_000n, asOf: "2026-11-20", source: "Azure Retail Prices" });
		answer = 503;
		clock.advance(6 * HOUR_MS);
		const source = expect.stringMatching(/^Azure Retail Prices; the live price list could not be read: .*503/);
		expect(await eastus()).toEqual({ microUsdPerHour: 3_673_000n, asOf: "2026-11-20", source });
		expect(asked).toBe(3);
	});
});
