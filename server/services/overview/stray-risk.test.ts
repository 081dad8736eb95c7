import { describe, expect, it } from "vitest";
import { priceOf } from "./stray-risk.ts";

const STRAY = {
	...{ siteId: "aws", providerInstanceId: "i-1", region: "us-east-1", zone: "us-east-1a", instanceType: "g5.xlarge" },
	...{ capacityType: "spot" as const, sinceMs: 0, goneMs: null },
};
const anOffer = (changes: object, microUsdPerHour: bigint | null) => ({
	...{ siteId: "aws", region: "us-east-1", zone: "us-east-1a", instanceType: "g5.xlarge", capacityType: "spot" as const },
	...changes,
	microUsdPerHour,
});

describe("cost of a machine without a row, by its site's offers", () => {
	const offers = [
		anOffer({}, 300_000n),
		anOffer({ zone: "us-east-1b" }, 400_000n),
		anOffer({ zone: null, capacityType: "on_demand" }, 1_000_000n),
		anOffer({ siteId: "other" }, 1n),
		anOffer({ region: "eu-west-1" }, 2n),
	];

	it.each([
		["of its zone", STRAY, 300_000n],
		["the most expensive of its region when its zone has no offer", { ...STRAY, zone: "us-east-1c" }, 400_000n],
		["of its capacity type, which a region sells without a zone", { ...STRAY, capacityType: "on_demand" as const }, 1_000_000n],
		["unknown for reserved capacity without an offer", { ...STRAY, capacityType: "reserved" as const }, null],
		["unknown for a type without an offer", { ...STRAY, instanceType: "p9.huge" }, null],
	])("%s", (_what, stray, price) => expect(priceOf(stray, offers)).toBe(price));

	it("is unknown when an offer has no price", () => expect(priceOf(STRAY, [anOffer({}, null)])).toBeNull());
});
