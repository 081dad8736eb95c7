import { describe, expect, it } from "vitest";
import { formatCarbonParts, formatEnergyParts, joinQuantity } from "./format-carbon.ts";

describe("formatCarbonParts", () => {
	it.each([
		[0, "0 g"],
		[4.2, "4.20 g"],
		[318, "318 g"],
		[999.6, "1.00 kg"],
		[33_800, "33.8 kg"],
		[6_420_000, "6.42 t"],
		[-31_000, "−31.0 kg"],
	])("formats %d grams as %s", (grams, text) => expect(joinQuantity(formatCarbonParts(grams))).toBe(text));
	it("accepts bigints", () => expect(joinQuantity(formatCarbonParts(1_340_000n))).toBe("1.34 t"));
});

describe("formatEnergyParts", () => {
	it.each([
		[42, "42.0 Wh"],
		[6200, "6.20 kWh"],
		[49_700, "49.7 kWh"],
		[2_500_000, "2.50 MWh"],
	])("formats %d Wh as %s", (wh, text) => expect(joinQuantity(formatEnergyParts(wh))).toBe(text));
});
