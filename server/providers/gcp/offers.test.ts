import { describe, expect, it } from "vitest";
import { defined } from "#server/kernel/assert.ts";
import { listOffers } from "#server/rates/offers.ts";
import { offersOf, type ZoneFacts, type ZoneRate } from "./offers.ts";

const NOW_MS = Date.parse("2026-11-01T00:00:00Z");
const price = (microUsdPerHour: bigint | null) => ({ microUsdPerHour, asOf: "2026-07-30", source: "a list" });

const rate = (changes: Partial<ZoneRate> = {}): ZoneRate => ({
	...{ instanceType: "g2-standard-4", region: "us-central1", zone: "us-central1-a" },
	...{ accelerator: "L4-24GB", gpus: 1, vcpus: 4, memoryGiB: 16 },
	onDemand: price(700_000n),
	spot: price(280_000n),
	...changes,
});

const offers = (changes: Partial<ZoneFacts> = {}) =>
	offersOf({
		...{ siteId: "gcp", region: "us-central1", zone: "us-central1-a", rates: [rate()], sold: ["g2-standard-4"] },
		...{ nowMs: NOW_MS, listPriceMaxAgeDays: 730, spotPriceMaxAgeDays: 180 },
		...changes,
	});

describe("offersOf", () => {
	it("contains the list's prices on demand and as spot, in the zone", () => {
		expect(offers().map((o) => [o.id, o.microUsdPerHour, o.onDemandMicroUsdPerHour, o.priceSource])).toEqual([
			["gcp:us-central1:us-central1-a:g2-standard-4:on_demand", 700_000n, 700_000n, "list price of 2026-07-30: a list"],
			["gcp:us-central1:us-central1-a:g2-standard-4:spot", 280_000n, 700_000n, "list price of 2026-07-30: a list"],
		]);
	});

	it("omits types that the zone does not sell or the catalog does not have", () => {
		expect(offers({ sold: [] })).toEqual([]);
		expect(offers({ sold: ["e2-micro"] })).toEqual([]);
	});

	it("has no spot offer if the list has none, or if it costs as much as on-demand", () => {
		expect(offers({ rates: [rate({ spot: null })] }).map((o) => o.capacityType)).toEqual(["on_demand"]);
		expect(offers({ rates: [rate({ spot: price(700_000n) })] }).map((o) => o.capacityType)).toEqual(["on_demand"]);
	});

	it("contains types without a list price, unpriced, and a rejected price with the reason", () => {
		const [elsewhere] = offers({ rates: [rate({ zone: "us-central1-b" })] });
		expect(elsewhere).toMatchObject({ microUsdPerHour: null, priceSource: "no list price in us-central1-a" });
		const [, refused] = offers({ rates: [rate({ spot: { ...price(null), source: "refused: ten times off" } })] });
		expect(refused).toMatchObject({ capacityType: "spot", microUsdPerHour: null, priceSource: expect.stringContaining("ten times off") });
	});

	it("has the region's quota on the model, on demand and as spot; none if Google names none, or none on spot next to one on demand", () => {
		const quotas = [
			{ metric: "NVIDIA_L4_GPUS", limit: 8, usage: 6 },
			{ metric: "PREEMPTIBLE_NVIDIA_L4_GPUS", limit: 2, usage: 0 },
		];
		expect(offers({ quotas }).map((o) => o.quota)).toEqual([
			{ name: "NVIDIA_L4_GPUS", unit: "gpus", limit: 8, used: 6 },
			{ name: "PREEMPTIBLE_NVIDIA_L4_GPUS", unit: "gpus", limit: 2, used: 0 },
		]);
		const [first] = quotas;
		const none = { metric: "PREEMPTIBLE_NVIDIA_L4_GPUS", limit: 0, usage: 0 };
		expect(offers({ quotas: [defined(first, "a quota"), none] })[1]).not.toHaveProperty("quota");
		expect(offers({ quotas: [none] })[1]?.quota).toMatchObject({ limit: 0 });
		for (const unknown of [null, []]) expect(offers({ quotas: unknown })[0]).not.toHaveProperty("quota");
	});

	it("uses a region's row for a zone without one", () => {
		expect(offers({ rates: [rate({ zone: null })] })[0]?.microUsdPerHour).toBe(700_000n);
	});

	it("dates stale prices by their own day, spot prices sooner", () => {
		expect(offers().map((o) => o.priceObservedAtMs)).toEqual([NOW_MS, NOW_MS]);
		expect(offers({ spotPriceMaxAgeDays: 30 }).map((o) => o.priceObservedAtMs)).toEqual([NOW_MS, Date.parse("2026-07-30")]);
	});

	it("takes the rows of the shipped snapshot", () => {
		const [first] = listOffers("gcp");
		const { region, zone, instanceType } = defined(first, "a row");
		const seen = offers({ rates: listOffers("gcp"), region, zone: zone ?? "", sold: [instanceType] });
		expect(seen.map((o) => o.microUsdPerHour)).toEqual([first?.onDemand.microUsdPerHour, first?.spot?.microUsdPerHour]);
	});
});
