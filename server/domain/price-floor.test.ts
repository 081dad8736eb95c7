import fc from "fast-check";
import { expect, it } from "vitest";
import { floorPrice, PRICE_FLOOR_DIVISOR } from "./price-floor.ts";
import { quarantineOf } from "./quarantine.ts";

const NONE = { listMicroUsdPerHour: null, neighbours: [], previousMicroUsdPerHour: null };
const spot = (microUsdPerHour: bigint | null, onDemandMicroUsdPerHour: bigint | null = 6_880_000n) => ({
	capacityType: "spot" as const,
	microUsdPerHour,
	onDemandMicroUsdPerHour,
	priceSource: "EC2 DescribeSpotPriceHistory",
});

it("replaces $0.00001 for an H100 with its on-demand price, and shows why", () => {
	const floored = floorPrice(spot(10n), NONE);
	expect(floored).toMatchObject({ microUsdPerHour: 6_880_000n, onDemandMicroUsdPerHour: 6_880_000n });
	expect(quarantineOf(floored.priceSource)).toBe(
		"a price was refused: $0.00001 is below 5% of the on-demand price ($6.88); counted at the on-demand price",
	);
});

it("keeps plausible prices as they are", () => {
	const offer = spot(700_000n);
	const references = { listMicroUsdPerHour: 6_880_000n, neighbours: [900_000n, 2_000_000n, 650_000n], previousMicroUsdPerHour: 6_880_000n };
	expect(floorPrice(offer, references)).toEqual(offer);
	expect(floorPrice(spot(344_000n), NONE)).toEqual(spot(344_000n));
});

it("compares with neighbors and with the last price", () => {
	const neighbours = [4_000_000n, 4_100_000n, 4_200_000n];
	expect(floorPrice(spot(400_000n), { ...NONE, neighbours }).priceSource).toContain("the same machine's elsewhere ($4.1)");
	expect(floorPrice(spot(400_000n), { ...NONE, previousMicroUsdPerHour: 5_000_000n }).priceSource).toContain("its last price ($5)");
});

it("rejects an on-demand price far below the shipped list", () => {
	const cheap = { ...spot(20n, 20n), capacityType: "on_demand" as const };
	expect(floorPrice(cheap, { ...NONE, listMicroUsdPerHour: 6_880_000n })).toMatchObject({ microUsdPerHour: 6_880_000n });
	expect(floorPrice(spot(10n, 20n), { ...NONE, listMicroUsdPerHour: 6_880_000n })).toMatchObject({
		microUsdPerHour: 6_880_000n,
		onDemandMicroUsdPerHour: 6_880_000n,
	});
});

it("never chooses a spot price with nothing to compare it to", () => {
	expect(floorPrice(spot(10n, null), NONE).microUsdPerHour).toBeNull();
	expect(floorPrice(spot(null, null), NONE).microUsdPerHour).toBeNull();
});

it("property: no price from any source is below 5% of the list price", () => {
	const price = fc.option(fc.bigInt({ min: 1n, max: 1_000_000_000n }), { nil: null });
	const arbitrary = fc.record({
		capacityType: fc.constantFrom("spot" as const, "on_demand" as const),
		...{ microUsdPerHour: price, onDemandMicroUsdPerHour: price },
		priceSource: fc.constant("any"),
	});
	const references = fc.record({
		listMicroUsdPerHour: fc.bigInt({ min: 20n, max: 1_000_000_000n }),
		neighbours: fc.array(fc.bigInt({ min: 1n, max: 1_000_000_000n }), { maxLength: 5 }),
		previousMicroUsdPerHour: price,
	});
	fc.assert(
		fc.property(arbitrary, references, (offer, known) => {
			const { microUsdPerHour, onDemandMicroUsdPerHour } = floorPrice(offer, known);
			for (const kept of [microUsdPerHour, onDemandMicroUsdPerHour]) {
				if (kept !== null) expect(kept * PRICE_FLOOR_DIVISOR).toBeGreaterThanOrEqual(known.listMicroUsdPerHour);
			}
		}),
		{ numRuns: 2_000 },
	);
});
