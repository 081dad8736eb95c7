import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "#server/kernel/testing/deep.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { keptStorage, monthlyStorageMicroUsd, storageCostUntil } from "./storage-cost.ts";

const GIB = 1_073_741_824n;
const at = (text: string) => Date.parse(`${text}T00:00:00Z`);
const price = (fromMs: number, microUsdPerGiBMonth: bigint | null) => ({ fromMs, microUsdPerGiBMonth });

describe("storageCostUntil", () => {
	it("is the price for any whole month, and the share by days for a part of one", () => {
		const prices = [price(0, 23_000n)];
		expect(storageCostUntil(prices, 10n * GIB, at("2026-11-01"), at("2026-12-01"))).toBe(230_000n);
		expect(storageCostUntil(prices, 10n * GIB, at("2027-02-01"), at("2027-03-01"))).toBe(230_000n);
		expect(storageCostUntil(prices, 10n * GIB, at("2026-11-01"), at("2026-11-16"))).toBe(115_000n);
	});
	it("uses each price in its time, and charges nothing while none is set", () => {
		const prices = [price(at("2026-11-11"), 30_000n), price(at("2026-11-21"), 60_000n), price(at("2026-12-01"), null)];
		expect(storageCostUntil(prices, GIB, at("2026-11-01"), at("2027-01-01"))).toBe(10_000n + 20_000n);
		expect(storageCostUntil([], GIB, 0, at("2027-01-01"))).toBe(0n);
	});
	it("adds up to the whole over any split of the time, and loses less than a micro-dollar", () => {
		const whole = at("2026-10-15");
		const time = fc.integer({ min: 0, max: 400 * 24 }).map((hours) => whole + hours * HOUR_MS + (hours % 7));
		const prices = fc
			.array(fc.record({ fromMs: time, microUsdPerGiBMonth: fc.option(fc.bigInt(0n, 1_000_000n)) }), { maxLength: 4 })
			.map((list) => list.toSorted((a, b) => a.fromMs - b.fromMs));
		fc.assert(
			fc.property(prices, fc.bigInt(0n, 10n ** 13n), time, fc.array(time, { maxLength: 20 }), (steps, bytes, endMs, cuts) => {
				const bounds = [whole, ...cuts.filter((cut) => cut < endMs), endMs].toSorted((a, b) => a - b);
				const total = (untilMs: number) => storageCostUntil(steps, bytes, whole, untilMs);
				const pieces = bounds.slice(1).map((to, i) => total(to) - total(bounds[i] ?? whole));
				expect(pieces.every((piece) => piece >= 0n)).toBe(true);
				expect(pieces.reduce((sum, piece) => sum + piece, 0n)).toBe(total(endMs));
				const byPrice = steps.map((step, i) =>
					storageCostUntil([step], bytes, Math.max(whole, step.fromMs), Math.min(endMs, steps[i + 1]?.fromMs ?? endMs)),
				);
				const lost = total(endMs) - byPrice.reduce((sum, piece) => sum + piece, 0n);
				expect(lost >= 0n && lost <= BigInt(steps.length)).toBe(true);
			}),
			{ numRuns: cases(100, 2_000) },
		);
	});
});

describe("kept storage", () => {
	it("adds up monthly costs, and lists what has no price", () => {
		expect(monthlyStorageMicroUsd(1n, 23_000n)).toBe(1n);
		expect(keptStorage([])).toBeNull();
		const objects = [
			{ bytes: GIB, microUsdPerGiBMonth: 23_000n, untilMs: DAY_MS },
			{ bytes: 5n, microUsdPerGiBMonth: null, untilMs: 2 * DAY_MS },
		];
		expect(keptStorage(objects)).toEqual({
			...{ count: 2, bytes: GIB + 5n, microUsdPerMonth: 23_000n, unpricedBytes: 5n, untilMs: 2 * DAY_MS },
		});
		expect(keptStorage([...objects, { bytes: 1n, microUsdPerGiBMonth: 0n, untilMs: null }])?.untilMs).toBeNull();
	});
});
