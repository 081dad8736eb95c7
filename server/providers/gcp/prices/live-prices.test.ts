import { createServer, type IncomingMessage, type Server } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { listOffers } from "#server/rates/offers.ts";
import type { ComputeClients } from "../compute-clients.ts";
import { GcpDriver } from "../driver.ts";
import type { ZoneRate } from "../offers.ts";
import { readCatalogue, type Sku } from "./catalogue.ts";
import { composeRates } from "./compose.ts";
import { LivePrices } from "./live-prices.ts";

const NOW_MS = Date.parse("2026-11-20T12:00:00Z");
const REGIONS = ["us-central1", "europe-west4", "asia-east1"];

/** Micro-dollars: 4 × 25,000 + 16 × 3,000 + 560,000 = 708,000; as spot 4 × 10,000 + 16 × 1,000 + 224,000 = 280,000. */
const PARTS: [description: string, nanos: number, unit: string, usage: string][] = [
	["G2 Instance Core running in the World", 25_000_000, "h", "OnDemand"],
	["G2 Instance Ram running in the World", 3_000_000, "GiBy.h", "OnDemand"],
	["Nvidia L4 GPU running in the World", 560_000_000, "h", "OnDemand"],
	["Spot Preemptible G2 Instance Core running in the World", 10_000_000, "h", "Preemptible"],
	["Spot Preemptible G2 Instance Ram running in the World", 1_000_000, "GiBy.h", "Preemptible"],
	["Nvidia L4 GPU attached to Spot Preemptible VMs running in the World", 224_000_000, "h", "Preemptible"],
];

function sku(description: string, nanos: number, usageUnit: string, usageType: string, changes: Partial<Sku> = {}): Sku {
	const unitPrice = { currencyCode: "USD", units: String(Math.floor(nanos / 1e9)), nanos: nanos % 1e9 };
	return {
		...{ skuId: description, description, category: { resourceFamily: "Compute", resourceGroup: "", usageType }, serviceRegions: REGIONS },
		pricingInfo: [{ pricingExpression: { usageUnit, tieredRates: [{ startUsageAmount: 0, unitPrice }] } }],
		...changes,
	};
}
const SKUS = PARTS.map((part) => sku(...part));

const listed = (microUsdPerHour: bigint) => ({ microUsdPerHour, asOf: "2026-07-30", source: "a list" });
const rate = (changes: Partial<ZoneRate> = {}): ZoneRate => ({
	...{ instanceType: "g2-standard-4", region: "us-central1", zone: "us-central1-a" },
	...{ accelerator: "L4-24GB", gpus: 1, vcpus: 4, memoryGiB: 16, onDemand: listed(700_000n), spot: listed(300_000n) },
	...changes,
});
const SNAPSHOT = REGIONS.map((region) => rate({ region, zone: `${region}-a` }));
const composeFirst = (skus: Sku[], snapshot = SNAPSHOT) => composeRates(snapshot, skus, "2026-11-20")[0];

describe("composeRates", () => {
	it("sums a machine's price from its cores, memory and GPUs, with the day of the reading", () => {
		const source = "Cloud Billing Catalog, sum of cores, memory and GPUs";
		expect(composeFirst(SKUS)).toMatchObject({
			onDemand: { microUsdPerHour: 708_000n, asOf: "2026-11-20", source },
			spot: { microUsdPerHour: 280_000n, asOf: "2026-11-20", source },
		});
	});

	it("derives every A2 price of the snapshot in Iowa from the prices of its parts", () => {
		// The description of the 80 GB card starts the same way, and must not be confused with it.
		const iowa: typeof PARTS = [
			["A2 Instance Core running in Americas", 31_611_000, "h", "OnDemand"],
			["A2 Instance Ram running in Americas", 4_237_000, "GiBy.h", "OnDemand"],
			["Nvidia Tesla A100 GPU running in Americas", 2_933_908_000, "h", "OnDemand"],
			["Nvidia Tesla A100 80GB GPU running in Americas", 3_928_080_000, "h", "OnDemand"],
		];
		const skus = iowa.map((part) => sku(...part, { serviceRegions: ["us-central1"] }));
		const snapshot = listOffers("gcp").filter((row) => row.region === "us-central1" && /^a2-(high|mega)gpu-/.test(row.instanceType));
		const composed = composeRates(snapshot, skus, "2026-11-20");
		expect(snapshot.length).toBeGreaterThan(5);
		for (const [i, row] of composed.entries()) {
			expect(row.onDemand.source).toMatch(/^Cloud Billing Catalog/);
			expect(row.onDemand.microUsdPerHour).toBe(snapshot[i]?.onDemand.microUsdPerHour);
		}
	});

	describe("of TPUs", () => {
		// Descriptions, regions, usage types and prices from the catalog of 2026-06-14 and 2026-08-07.
		const chips = (description: string, usd: number, region: string, usageType = "OnDemand") =>
			sku(description, Math.round(usd * 1e9), "h", usageType, { serviceRegions: [region] });
		const COLUMBUS = [
			chips("TpuV6e running in Columbus", 2.7, "us-east5"),
			chips("DWS Defined Duration V6e running in Columbus", 1.35, "us-east5"),
			chips("TpuV6e attached to Spot Preemptible VMs running in Columbus", 1.4033, "us-east5", "Preemptible"),
			chips("Capacity Optimized TpuV6e running in Columbus", 3.1, "us-east5"),
			chips("Reserved V6e TPU in Columbus in Calendar Mode", 1.89, "us-east5"),
			chips("Commitment v1: TpuV6e running in Columbus for 3 Years", 1.22, "us-east5", "Commit3Yr"),
		];
		const v6e = (region: string) => listOffers("gcp").filter((row) => row.instanceType === "ct6e-standard-8t" && row.region === region);

		it("multiplies a chip's price by the chips, on demand and as spot, and ignores other purchase options", () => {
			const [composed, ...more] = composeRates(v6e("us-east5"), COLUMBUS, "2026-11-20");
			const source = "Cloud Billing Catalog, price of a chip × chips";
			expect(composed).toMatchObject({ onDemand: { microUsdPerHour: 21_600_000n, asOf: "2026-11-20", source }, spot: { source } });
			expect(composed?.spot?.microUsdPerHour).toBe(11_226_400n);
			expect(more).toEqual([]);
		});

		it("has the list's types in regions that only the catalog prices, on-demand only if there is no spot price", () => {
			const dallas = chips("TpuV6e running in Dallas", 2.7, "us-south1");
			const composed = composeRates(v6e("us-east5"), [...COLUMBUS, dallas], "2026-11-20");
			expect(composed.map(({ region, zone, onDemand, spot }) => [region, zone, onDemand.microUsdPerHour, spot?.microUsdPerHour])).toEqual([
				["us-east5", null, 21_600_000n, 11_226_400n],
				["us-south1", null, 21_600_000n, undefined],
			]);
		});

		it("is read from whatever family the catalog puts them in", async () => {
			const row = { ...COLUMBUS[0], category: { resourceFamily: "ML", resourceGroup: "TPU", usageType: "OnDemand" } };
			expect(await readCatalogue("http://x", async () => ({ skus: [row] }))).toHaveLength(1);
		});
	});

	it.each([
		["another currency", { currencyCode: "EUR" }, {}],
		["a price of zero", { units: "0", nanos: 0 }, {}],
		["another unit", {}, { usageUnit: "mo" }],
	])("keeps the snapshot's price if a part has %s", (_what, unitPrice, expression) => {
		const [core, ...others] = SKUS;
		const [pricing] = core?.pricingInfo ?? [];
		const [tier] = pricing?.pricingExpression.tieredRates ?? [];
		if (!core || !pricing || !tier) throw new Error("no first part");
		const tieredRates = [{ ...tier, unitPrice: { ...tier.unitPrice, ...unitPrice } }];
		const wrong = { ...core, pricingInfo: [{ pricingExpression: { ...pricing.pricingExpression, tieredRates, ...expression } }] };
		expect(composeFirst([wrong, ...others])?.onDemand).toEqual(listed(700_000n));
	});

	it("keeps the snapshot's price if a part is missing, has two prices, or the machine has more parts", () => {
		expect(composeFirst(SKUS.slice(1))?.onDemand).toEqual(listed(700_000n));
		expect(composeFirst([...SKUS, sku("G2 Instance Core running in Mars", 1, "h", "OnDemand")])?.onDemand).toEqual(listed(700_000n));
		const a3 = rate({ instanceType: "a3-highgpu-8g" });
		expect(composeFirst(SKUS, [a3])).toEqual(a3);
	});

	it.each([
		["the snapshot's, above", 56_000_000_000, SNAPSHOT, /\$56\.148 is more than 10 times above the snapshot's \(\$0\.7\)/],
		["the snapshot's, below", 560_000_000, [rate({ onDemand: listed(80_000_000n) })], /below the snapshot's \(\$80\)/],
	])("rejects and reports a price that is ten times off %s", (_what, gpuNanos, snapshot, why) => {
		const skus = SKUS.map((part) =>
			part.description.startsWith("Nvidia L4 GPU running") ? sku(part.description, gpuNanos, "h", "OnDemand") : part,
		);
		const first = composeFirst(skus, snapshot);
		expect(first?.onDemand).toMatchObject({ microUsdPerHour: null, source: expect.stringMatching(why) });
		expect(first?.spot?.microUsdPerHour).toBe(280_000n);
	});

	it("rejects a price that is ten times off the same machine's in other regions", () => {
		const dear = SKUS.flatMap((part) => {
			if (!part.description.startsWith("Nvidia L4 GPU running")) return [part];
			return [
				{ ...part, serviceRegions: REGIONS.slice(1) },
				sku(part.description, 8_000_000_000, "h", "OnDemand", { serviceRegions: ["us-central1"] }),
			];
		});
		const snapshot = [rate({ onDemand: listed(6_000_000n) }), ...SNAPSHOT.slice(1)];
		expect(composeFirst(dear, snapshot)?.onDemand.source).toMatch(/above that of the same machine elsewhere \(\$0\.708\)/);
	});
});

describe("live prices over the wire", () => {
	let server: Server | null = null;
	afterEach(() => {
		server?.closeAllConnections();
		server?.close();
	});

	/** A catalog on loopback with these responses; returns its address and the requests it received. */
	async function serve(answer: (query: URLSearchParams, request: IncomingMessage) => { status?: number; body: unknown }) {
		const asked: string[] = [];
		const listening = createServer((request, response) => {
			const url = new URL(request.url ?? "/", "http://127.0.0.1");
			asked.push(`${url.pathname} ${url.searchParams.get("currencyCode")} ${url.searchParams.get("pageToken")}`);
			const { status = 200, body } = answer(url.searchParams, request);
			response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
		});
		server = listening;
		await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
		const address = listening.address();
		return { endpoint: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`, asked };
	}

	const fetchJson = async (url: string) => (await fetch(url)).json();
	const paged = (query: URLSearchParams) => {
		const from = Number(query.get("pageToken") ?? 0);
		const skus: unknown[] = [...SKUS.slice(from, from + 2), { somethingElse: true }, sku("PD Capacity", 1, "GiBy.mo", "OnDemand")];
		return { body: { skus, nextPageToken: from + 2 < SKUS.length ? String(from + 2) : "" } };
	};

	it("reads all pages, in dollars, and reads them again only when they are stale", async () => {
		const { endpoint, asked } = await serve(paged);
		const prices = new LivePrices({ endpoint, fetchJson, everyMs: HOUR_MS, retryMs: 1 });
		expect((await prices.rates(SNAPSHOT, NOW_MS))[0]?.onDemand.microUsdPerHour).toBe(708_000n);
		expect(asked).toEqual(["null", "2", "4"].map((token) => `/v1/services/6F81-5844-456A/skus USD ${token}`));
		await prices.rates(SNAPSHOT, NOW_MS + HOUR_MS - 1);
		expect(asked).toHaveLength(3);
		await prices.rates(SNAPSHOT, NOW_MS + HOUR_MS);
		expect(asked).toHaveLength(6);
	});

	it("keeps the snapshot while the list cannot be read, later its last reading, and reports why", async () => {
		let fails = true;
		const { endpoint } = await serve((query) => (fails ? { body: { skus: "none" } } : paged(query)));
		const prices = new LivePrices({ endpoint, fetchJson, everyMs: 10, retryMs: 10 });
		const [first] = await prices.rates(SNAPSHOT, NOW_MS);
		expect(first?.onDemand).toMatchObject({
			microUsdPerHour: 700_000n,
			asOf: "2026-07-30",
			source: expect.stringMatching(/cannot be read: .*skus/s),
		});
		fails = false;
		expect((await prices.rates(SNAPSHOT, NOW_MS + 10))[0]?.onDemand.source).toMatch(/GPUs$/);
		fails = true;
		const [kept] = await prices.rates(SNAPSHOT, NOW_MS + 20);
		expect(kept?.onDemand).toMatchObject({ microUsdPerHour: 708_000n, source: expect.stringMatching(/cannot be read/) });
	});

	it("uses nothing from a list with a failing second page", async () => {
		const { endpoint, asked } = await serve((query) => (query.get("pageToken") === "2" ? { body: { skus: "none" } } : paged(query)));
		const prices = new LivePrices({ endpoint, fetchJson, everyMs: 10, retryMs: 10 });
		const [kept] = await prices.rates(SNAPSHOT, NOW_MS);
		expect(asked).toHaveLength(2);
		expect(kept?.onDemand).toMatchObject({ microUsdPerHour: 700_000n, source: expect.stringMatching(/cannot be read: .*skus/s) });
	});

	it("gives up on an endless list", async () => {
		const { endpoint } = await serve(() => ({ body: { skus: [], nextPageToken: "again" } }));
		const prices = new LivePrices({ endpoint, fetchJson, everyMs: 10, retryMs: 10 });
		expect((await prices.rates(SNAPSHOT, NOW_MS))[0]?.onDemand.source).toMatch(/more than 100 pages/);
	});

	it("are used in the driver's offers", async () => {
		const { endpoint } = await serve(paged);
		const settings = {
			...{ controlPlane: "spw-1", project: "acme-bursts", regions: ["us-central1"], priceEndpoint: endpoint },
			image: "projects/debian-cloud/global/images/family/debian-12",
		};
		const zone = { name: "us-central1-a", region: "https://x/regions/us-central1", status: "UP" };
		const open = async () =>
			asClients({
				zones: { list: async () => [[zone], null] },
				machineTypes: { list: async () => [[{ name: "g2-standard-4", guestCpus: 4, memoryMb: 16_384 }], null] },
			});
		const driver = new GcpDriver("gcp", { settings, listPrices: () => SNAPSHOT, open });
		const { offers } = await driver.offers();
		expect(offers.map((o) => [o.capacityType, o.microUsdPerHour])).toEqual([
			["on_demand", 708_000n],
			["spot", 280_000n],
		]);
	});
});

// The driver's offers use only these two calls.
function asClients(clients: object): ComputeClients {
	return clients as ComputeClients;
}
