import { describe, expect, it } from "vitest";
import { cardCost, cardParts } from "../accounting/owned-cost.ts";
import { UTC } from "../accounting/zone.ts";
import { ownedRateCardSchema } from "../domain/rate-card.ts";
import { HOUR_MS } from "../kernel/units.ts";
import { ownedRate } from "./owned.ts";
import { defaultOwnedCard } from "./owned-card.ts";

const shipped = () => {
	const made = defaultOwnedCard("H100-80GB", 8, "2026-01-01");
	if (!made) throw new Error("no card");
	return made;
};

describe("the initial card of a new pool", () => {
	it("8 H100: 8 × ($30,000 + $8,000) = $304,000 over 1,461 days is $208.08 a day; staff 8 × 180,000 / 256 = $5,625 a year", () => {
		const { card } = shipped();
		expect(ownedRateCardSchema.parse(card)).toEqual(card);
		const day = { fromMs: Date.parse("2026-03-01"), toMs: Date.parse("2026-03-02") };
		expect(Number(cardParts(card, UTC, day).depreciationMicroUsd) / 1e6).toBeCloseTo(304_000 / 1_461, 5);
		expect(card.perYear.staffUsd).toBe("5625");
	});

	it("a busy GPU costs the flat rate's power, 0.94 kW × 1.58 × $0.0895 = $0.132925; an idle one (0.114 × 700 + 240) W = $0.045222", () => {
		const cost = cardCost(shipped().card, UTC);
		expect(cost.powerUntil("busy", HOUR_MS)).toBe(ownedRate("H100-80GB")?.parts.power);
		expect(cost.powerUntil("idle", HOUR_MS)).toBe(45_222n);
	});

	it("lists the assumptions, and is null for a model without a purchase price", () => {
		const { message, card } = shipped();
		for (const word of ["Assumed", "hostPriceUsdPerGpu", "staffUsdPerYear"]) expect(message).toContain(word);
		expect(card.assets.map((a) => a.name)).toEqual(["8 × H100-80GB", "8 × share of a host (assumed price)"]);
		expect(message.length).toBeLessThanOrEqual(500);
		expect(defaultOwnedCard("T4-16GB", 8, "2026-01-01")).toBeNull();
	});
});
