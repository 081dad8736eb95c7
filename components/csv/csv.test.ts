import { expect, it } from "vitest";
import { exactDollars, exactKilos } from "./csv.ts";

it("formats dollars to the micro-dollar, including negatives", () => {
	expect([1_500_000n, -1n, 0n].map(exactDollars)).toEqual(["1.500000", "-0.000001", "0.000000"]);
});

it("formats milligrams as kilograms; unknown is empty", () => {
	expect([-1_500_000n, 0n, null].map(exactKilos)).toEqual(["-1.500000", "0.000000", ""]);
});
