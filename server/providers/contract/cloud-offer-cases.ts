import { expect, it } from "vitest";
import { offerId } from "#server/domain/capacity.ts";
import type { OfferObservation } from "../driver.ts";
import { aLaunch, type CloudHarness } from "./cloud-harness.ts";

export function offerCases(account: () => CloudHarness): void {
	it("has exact prices in micro-dollars, or null, but never 0", async () => {
		const h = account();
		const { offers, failedRegions } = await h.driver.offers();
		expect(failedRegions).toEqual([]);
		expect(offers.length).toBeGreaterThan(0);
		for (const offer of offers) {
			expect(offer).toMatchObject({ siteId: h.driver.siteId, provider: h.driver.provider });
			expect(h.regions).toContain(offer.region);
			for (const price of [offer.microUsdPerHour, offer.onDemandMicroUsdPerHour]) {
				if (price !== null) expect(typeof price === "bigint" && price > 0n).toBe(true);
			}
			expect(Number.isInteger(offer.gpus) && offer.gpus > 0).toBe(true);
			expect(offer.priceSource).not.toBe("");
			expect(Number.isSafeInteger(offer.priceObservedAtMs)).toBe(true);
		}
	});

	it("lists each offer once, with a stable id", async () => {
		const { offers } = await account().driver.offers();
		expect(offers.map((o) => o.id)).toEqual(offers.map((o) => offerId(o)));
		expect(new Set(offers.map((o) => o.id)).size).toBe(offers.length);
	});

	it("offers the type on demand and on spot; spot is cheaper and has both prices", async () => {
		const h = account();
		const here = (await h.driver.offers()).offers.filter((o) => o.region === h.regions[0] && o.instanceType === h.instanceType);
		const priceOf = (o: OfferObservation) => o.microUsdPerHour ?? 0n;
		const onDemand = here.filter((o) => o.capacityType === "on_demand");
		const spot = here.filter((o) => o.capacityType === "spot" && o.microUsdPerHour !== null);
		expect(onDemand.some((o) => priceOf(o) > 0n)).toBe(true);
		expect(spot.length).toBeGreaterThan(0);
		for (const offer of spot) expect(priceOf(offer)).toBeLessThan(offer.onDemandMicroUsdPerHour ?? 0n);
	});

	it("prices disks by the price list, or has no price and a reason, but never 0", async (context) => {
		const h = account();
		if (!h.disk) return context.skip("this account's price list has no disks");
		const { offers } = await h.driver.offers();
		for (const { region, disk } of offers) {
			const { microUsdPerMonth, ...asked } = h.disk;
			expect(disk).toMatchObject({ ...asked, microUsdPerMonth: region === h.regions[0] ? microUsdPerMonth : null });
			expect(disk?.source).toMatch(region === h.regions[0] ? /./ : /has no price/);
		}
	});

	it("reports the account's quota and its use, which grows when a machine is launched", async (context) => {
		const h = account();
		const { quota } = h;
		if (!quota) return context.skip("this account does not report its quotas");
		const seen = async () => {
			const { offers } = await h.driver.offers();
			const onDemand = offers.find((o) => o.region === h.regions[0] && o.instanceType === h.instanceType && o.capacityType === "on_demand");
			expect(onDemand?.quota).toMatchObject(quota);
			return { used: onDemand?.quota?.used ?? Number.NaN, each: (quota.unit === "cores" ? onDemand?.vcpus : onDemand?.gpus) ?? Number.NaN };
		};
		const before = await seen();
		await h.driver.launch(aLaunch(h, { capacityType: "on_demand" }));
		expect((await seen()).used - before.used).toBe(before.each);
	});

	it("omits and reports a region that fails, and keeps the others", async (context) => {
		const h = account();
		if (!h.faults) return context.skip("this account cannot be made to fail");
		h.faults.failRegion("offers", h.regions[0]);
		const { offers, failedRegions } = await h.driver.offers();
		expect(failedRegions).toEqual([{ region: h.regions[0], message: expect.stringMatching(/./) }]);
		expect(new Set(offers.map((o) => o.region))).toEqual(new Set([h.regions[1]]));
	});
}
