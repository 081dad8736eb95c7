import { expect, it } from "vitest";
import { addStoreInput } from "./store.ts";

const { usdPerGiBMonth: price } = addStoreInput.shape;

it.each([0, 0.000001, 0.023, 0.1, 1.123457, 99.999999, 100])("takes a price of $%d", (usd) => {
	expect(price.safeParse(usd).success).toBe(true);
});

it.each([1e-7, 0.0230001, -0.01, 100.01, 1e30, Number.NaN])("rejects a price of $%d", (usd) => {
	expect(price.safeParse(usd).success).toBe(false);
});
