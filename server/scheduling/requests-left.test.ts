import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { openOfferBook } from "./offers.ts";
import { countRequestsLeft } from "./requests-left.ts";
import { anOffer, aSnapshot, NOON_MS } from "./testing/builders.ts";

const asked = anOffer({ usd: "0.30", capacityType: "spot" });
const fresh = anOffer({ usd: "0.40", capacityType: "spot", region: "us-west-2" });
const rows = openOfferBook(aSnapshot({ offers: [asked, fresh] })).rows;
const untilMs = (minutesAgo: readonly number[], offerId: string): number | undefined => {
	const refused = minutesAgo.map((minutes) => ({ offerId: asked.id, atMs: NOON_MS - minutes * MINUTE_MS }));
	const row = rows.find(({ offer }) => offer.id === offerId);
	return row && countRequestsLeft(refused, NOON_MS)(row);
};

describe("requests for capacity that refused the job", () => {
	it("are repeated twice within an hour, and then not until the first repeat is an hour old", () => {
		expect(untilMs([50, 40], asked.id)).toBe(0);
		expect(untilMs([50, 40, 30], asked.id)).toBe(NOON_MS - 40 * MINUTE_MS + HOUR_MS);
	});

	it("count for an hour", () => {
		expect(untilMs([100, 90, 80, 70, 61], asked.id)).toBe(0);
		expect(untilMs([110, 90, 70, 59], asked.id)).toBe(0);
	});

	it("count even if the request that they repeat is over an hour old", () => {
		expect(untilMs([70, 50, 40], asked.id)).toBe(NOON_MS - 50 * MINUTE_MS + HOUR_MS);
		expect(untilMs([115, 50, 40], asked.id)).toBe(0);
	});

	it("are always allowed at a place that has not refused", () => {
		expect(untilMs([50, 40, 30, 20], fresh.id)).toBe(0);
	});
});
