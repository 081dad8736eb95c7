import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { gpuHourCost } from "./gpu-hour-cost.ts";
import { cardCost, cardParts, shareOfSlot, splitAtCards } from "./owned-cost.ts";
import { aCard, anAsset } from "./testing/cards.ts";
import { calendarOf, UTC } from "./zone.ts";

const month = (key: string, next: string) => ({ fromMs: Date.parse(`${key}-01`), toMs: Date.parse(`${next}-01`) });

describe("cardCost, worked by hand", () => {
	it("$8,784 of staff per year: $1.00 an hour in the leap year 2024, 8,784 / 8,760 = $1.002739 in 2025", () => {
		const cost = cardCost(aCard({ staffUsd: "8784" }), UTC);
		const hour = (at: string) => cost.fixedUntil(Date.parse(at) + HOUR_MS) - cost.fixedUntil(Date.parse(at));
		expect(hour("2024-02-29T10:00:00Z")).toBe(1_000_000n);
		expect(hour("2025-01-01T00:00:00Z")).toBe(1_002_739n);
		expect(cost.fixedUntil(Date.parse("2026-01-01")) - cost.fixedUntil(Date.parse("2025-01-01"))).toBe(8_784_000_000n);
	});

	it("700 W × PUE 1.5 × $0.10/kWh = $0.105 for a busy GPU-hour, 80 W × 1.5 × 0.10 = $0.012 for an idle one", () => {
		const cost = cardCost(
			aCard({ power: { busyWattsPerGpu: "700", idleWattsPerGpu: "80", pue: "1.5", electricityUsdPerKwh: "0.10" } }),
			UTC,
		);
		expect(cost.powerUntil("busy", 5 * HOUR_MS) - cost.powerUntil("busy", 4 * HOUR_MS)).toBe(105_000n);
		expect(cost.powerUntil("idle", 5 * HOUR_MS) - cost.powerUntil("idle", 4 * HOUR_MS)).toBe(12_000n);
	});

	it("February 2024: 29 days × $10 depreciation + 29/366 of $3,660 staff = 290 + 290 = $580, part by part", () => {
		const card = aCard({ assets: [anAsset()], staffUsd: "3660" });
		const interval = month("2024-02", "2024-03");
		expect(cardParts(card, UTC, interval)).toEqual({
			depreciationMicroUsd: 290_000_000n,
			...{ rackMicroUsd: 0n, networkMicroUsd: 0n, supportMicroUsd: 0n },
			staffMicroUsd: 290_000_000n,
		});
		const cost = cardCost(card, UTC);
		expect(cost.fixedUntil(interval.toMs) - cost.fixedUntil(interval.fromMs)).toBe(580_000_000n);
	});

	it("a second rack from February 15 and an old one until January 31: 31 × 10 in January, 14 × 10 in February", () => {
		const old = anAsset({ id: "old", inServiceOn: "2022-02-01", lifeMonths: 24, priceUsd: "7300" });
		const young = anAsset({ id: "young", inServiceOn: "2024-02-16", lifeMonths: 12, priceUsd: "3660" });
		const parts = (a: string, b: string) => cardParts(aCard({ assets: [old, young] }), UTC, month(a, b)).depreciationMicroUsd;
		expect(parts("2024-01", "2024-02")).toBe(310_000_000n);
		expect(parts("2024-02", "2024-03")).toBe(140_000_000n);
	});

	it("a card from 10:30 splits 10:00 to 11:00 in two, and time before the first card has none", () => {
		const at = Date.UTC(2026, 10, 10, 10);
		const cost = cardCost(aCard(), UTC);
		expect(splitAtCards([{ fromMs: at + HOUR_MS / 2, cost }], { fromMs: at, toMs: at + HOUR_MS })).toEqual([
			{ fromMs: at, toMs: at + HOUR_MS / 2, cost: null },
			{ fromMs: at + HOUR_MS / 2, toMs: at + HOUR_MS, cost },
		]);
	});
});

describe("cardCost properties", () => {
	const cents = fc.integer({ min: 0, max: 10_000_000 }).map((c) => (c / 100).toFixed(2));

	it("price(a + b) = price(a) + price(b), never decreases, and a year's running cost is the yearly amount in every zone", () => {
		fc.assert(
			fc.property(
				cents,
				cents,
				fc.constantFrom("UTC", "Europe/Berlin", "Asia/Kolkata"),
				fc.array(fc.integer({ min: 0, max: 8_760 * 3_600 }), { minLength: 1, maxLength: 12 }),
				(staffUsd, priceUsd, zone, seconds) => {
					const calendar = calendarOf(zone);
					const cost = cardCost(aCard({ staffUsd, assets: [anAsset({ priceUsd })] }), calendar);
					const start = Date.parse("2025-01-01");
					const cuts = [0, ...seconds.sort((a, b) => a - b)].map((s) => start + s * 1_000);
					const parts = cuts.slice(1).map((to, i) => cost.fixedUntil(to) - cost.fixedUntil(cuts[i] ?? start));
					expect(parts.every((part) => part >= 0n)).toBe(true);
					expect(parts.reduce((a, b) => a + b, 0n)).toBe(cost.fixedUntil(cuts.at(-1) ?? start) - cost.fixedUntil(start));
				},
			),
		);
	});

	it("the shares of all slots add up to the total to the micro-dollar, and differ by at most one", () => {
		fc.assert(
			fc.property(fc.bigInt(0n, 10n ** 15n), fc.integer({ min: 1, max: 300 }), (total, gpus) => {
				const shares = Array.from({ length: gpus }, (_, slot) => shareOfSlot(total, slot, gpus));
				expect(shares.reduce((a, b) => a + b, 0n)).toBe(total);
				expect((shares.at(-1) ?? 0n) - (shares[0] ?? 0n) <= 1n).toBe(true);
			}),
		);
	});
});

describe("$ per GPU-hour", () => {
	const hours = (n: number) => BigInt(n * HOUR_MS);

	it("75 GPU-hours used for $90 and 25 idle for $30: $120 / 100 = $1.20 owned, $120 / 75 = $1.60 used", () => {
		const sums = { usedMicroUsd: 90_000_000n, idleMicroUsd: 30_000_000n, usedGpuMs: hours(75), idleGpuMs: hours(25) };
		expect(gpuHourCost(sums)).toEqual({ ownedMicroUsdPerGpuHour: 1_200_000n, usedMicroUsdPerGpuHour: 1_600_000n, utilisation: 0.75 });
	});

	it("has no price without any hours", () => {
		const sums = { usedMicroUsd: 0n, idleMicroUsd: 30_000_000n, usedGpuMs: 0n, idleGpuMs: hours(25) };
		expect(gpuHourCost(sums)).toMatchObject({ usedMicroUsdPerGpuHour: null, utilisation: 0 });
		expect(gpuHourCost({ ...sums, idleGpuMs: 0n })).toEqual({
			...{ ownedMicroUsdPerGpuHour: null, usedMicroUsdPerGpuHour: null, utilisation: null },
		});
	});
});
