import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startAzureEmulator } from "#server/emulators/azure/emulator.ts";
import { EMULATED_SUBSCRIPTION } from "#server/emulators/azure/options.ts";
import { listOffers } from "#server/rates/offers.ts";
import { openAzure } from "./open-site.ts";
import { azureSiteSettings } from "./settings.ts";
import { azureSiteKind } from "./site-kind.ts";

const SIZE = "Standard_NC24ads_A100_v4";

/** Address of an endpoint that sells one size and of a price list that contains it at an invented price. */
async function startCloud(coreQuotas: Record<string, number> = {}): Promise<{ endpoint: string; priceList: string }> {
	const stateDir = mkdtempSync(join(tmpdir(), "spillway-azure-site-"));
	const regions = [{ region: "eastus", onDemandMicroUsdPerHour: 1n, zones: [{ zone: "eastus", spotMicroUsdPerHour: null }] }];
	const catalog = [{ instanceType: SIZE, vcpus: 24, memoryGiB: 220, gpus: 1, gpuModel: "A100-80GB", regions }];
	const timing = { bootDelayMs: 0, terminateDelayMs: 0, spotNoticeMs: 0 };
	const emulator = await startAzureEmulator({ port: 0, stateDir, catalog, ...timing, coreQuotas, seed: 1 });
	const row = {
		currencyCode: "USD",
		retailPrice: 3.21,
		armRegionName: "eastus",
		armSkuName: SIZE,
		productName: "NC",
		skuName: "NC",
		meterName: "NC",
	};
	const item = { ...row, unitOfMeasure: "1 Hour", type: "Consumption", effectiveStartDate: "2022-06-01T00:00:00Z" };
	const list = createServer((_request, response) => {
		response.end(JSON.stringify({ BillingCurrency: "USD", Items: [item], NextPageLink: null }));
	});
	await new Promise<void>((resolve) => list.listen(0, "127.0.0.1", resolve));
	onTestFinished(async () => {
		list.closeAllConnections();
		list.close();
		await emulator.stop({ killInstances: true });
		rmSync(stateDir, { recursive: true, force: true });
	});
	const address = list.address();
	return { endpoint: emulator.url, priceList: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/prices` };
}

it("returns live prices with their day and source, and the shipped ones if configured or if the endpoint is emulated", async () => {
	const { endpoint, priceList } = await startCloud();
	const row = { subscriptionId: EMULATED_SUBSCRIPTION, resourceGroup: "spillway", regions: ["eastus"], subnets: {}, endpoint };
	const offered = async (changes: object) => {
		const driver = openAzure("azure", azureSiteSettings("azure", { ...row, ...changes }, "spw-1"), () => listOffers("azure"));
		const { offers } = await driver.offers();
		return offers.map(({ microUsdPerHour, priceSource }) => ({ microUsdPerHour, priceSource }));
	};
	expect(await offered({ priceList })).toEqual([
		{ microUsdPerHour: 3_210_000n, priceSource: expect.stringMatching(/^list price of \d{4}-\d\d-\d\d: Azure Retail Prices$/) },
	]);
	const shipped = [{ microUsdPerHour: expect.any(BigInt), priceSource: expect.stringMatching(/Karpenter/) }];
	expect(await offered({ priceList: "off" })).toEqual(shipped);
	expect(await offered({})).toEqual(shipped);
});

it.each([
	[
		"reports those for GPUs and for spot",
		{ cores: 100, lowPriorityCores: 24, standardNCADSA100v4Family: 48 },
		"passed",
		/Low-priority vCPUs 0 of 24, standardNCADS\w+ 0 of 48/,
	],
	["recognizes a family by its newer spelling", { "Standard NCASv3_T4 Family": 4 }, "passed", /NCASv3_T4 Family 0 of 4/],
	[
		"reports a missing GPU quota",
		{ cores: 100, standardDSv5Family: 100, standardNCADSA100v4Family: 0 },
		"failed",
		/GPU sizes is 0 in eastus/,
	],
	["reports what Azure omits as unknown", {}, "unknown", /did not report/],
] as const)("the check of quotas %s", async (_does, quotas, outcome, found) => {
	const { endpoint } = await startCloud(quotas);
	const row = { subscriptionId: EMULATED_SUBSCRIPTION, resourceGroup: "spillway", regions: ["eastus"], subnets: {} };
	const kind = azureSiteKind({ snapshot: () => listOffers("azure"), endpoint, controlUrl: "http://127.0.0.1:3000" });
	const steps = await Array.fromAsync(kind.check({ siteId: "azure", settings: row, credentials: null, controlPlane: "spw-1" }));
	expect(steps.find(({ id }) => id === "quota")).toMatchObject({ outcome, found: expect.stringMatching(found) });
});
