import { describe, expect, it } from "vitest";
import { FirstPrices } from "./first-prices.ts";

describe("the first prices of a term", () => {
	it("are complete when every cloud answered, with prices or without", () => {
		const prices = new FirstPrices(["aws", "azure"], 1_000);
		expect(prices.areIn(1_000)).toBe(false);
		prices.settle("azure");
		prices.settle("azure");
		expect(prices.areIn(2_000)).toBe(false);
		prices.settle("aws");
		expect(prices.areIn(2_000)).toBe(true);
	});

	it("are not waited for without a cloud, nor for longer than 15 s if one hangs", () => {
		expect(new FirstPrices([], 1_000).areIn(1_000)).toBe(true);
		const hangs = new FirstPrices(["aws"], 1_000);
		expect(hangs.areIn(15_999)).toBe(false);
		expect(hangs.areIn(16_000)).toBe(true);
	});
});
