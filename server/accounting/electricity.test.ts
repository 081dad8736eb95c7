import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { electricityOf } from "./electricity.ts";
import { cardCost } from "./owned-cost.ts";
import { aCard } from "./testing/cards.ts";
import { calendarOf, UTC } from "./zone.ts";

/** A busy GPU draws 1 kW, an idle one half of it. */
const power = (electricityHours: NonNullable<ReturnType<typeof aCard>["power"]["electricityHours"]>) => ({
	...{ busyWattsPerGpu: "1000", idleWattsPerGpu: "500", pue: "1", electricityUsdPerKwh: "0.10", contractGramsPerKwh: null },
	electricityHours,
});
const NIGHT = [{ fromHour: 2, toHour: 3, usdPerKwh: "1" }];

describe("electricity by the hour, worked by hand", () => {
	const dayOf = (zone: string, from: string, to: string) => {
		const cost = cardCost(aCard({ power: power(NIGHT) }), calendarOf(zone));
		return cost.powerUntil("busy", Date.parse(to)) - cost.powerUntil("busy", Date.parse(from));
	};

	it("$1 from 02:00 to 03:00, else $0.10, 1 kW: 1 + 23 × 0.10 = $3.30 a day", () => {
		expect(dayOf("Europe/Berlin", "2026-06-10T00:00+02:00", "2026-06-11T00:00+02:00")).toBe(3_300_000n);
	});

	it("clocks going forward on 29 March 2026 skip that hour: 23 × 0.10 = $2.30; going back on 25 October repeats it: 2 + 2.30 = $4.30", () => {
		expect(dayOf("Europe/Berlin", "2026-03-29T00:00+01:00", "2026-03-30T00:00+02:00")).toBe(2_300_000n);
		expect(dayOf("Europe/Berlin", "2026-10-25T00:00+02:00", "2026-10-26T00:00+01:00")).toBe(4_300_000n);
	});

	it("01:30 to 02:30: ½ × 0.10 + ½ × 1 = $0.55, and half of that idle", () => {
		const cost = cardCost(aCard({ power: power(NIGHT) }), UTC);
		const [fromMs, toMs] = [Date.parse("2026-06-10T01:30Z"), Date.parse("2026-06-10T02:30Z")];
		expect(cost.powerUntil("busy", toMs) - cost.powerUntil("busy", fromMs)).toBe(550_000n);
		expect(cost.powerUntil("idle", toMs) - cost.powerUntil("idle", fromMs)).toBe(275_000n);
	});

	it("weekends at $0.06 before evenings at $0.25, the first match wins: Saturday 24 × 0.06 = $1.44, Monday 4 × 0.25 + 20 × 0.10 = $3.00", () => {
		const hours = [
			{ days: ["sat" as const, "sun" as const], fromHour: 0, toHour: 24, usdPerKwh: "0.06" },
			{ fromHour: 17, toHour: 21, usdPerKwh: "0.25" },
		];
		const cost = cardCost(aCard({ power: power(hours) }), UTC);
		const day = (date: string) => cost.powerUntil("busy", Date.parse(date) + 24 * HOUR_MS) - cost.powerUntil("busy", Date.parse(date));
		expect([day("2026-11-21"), day("2026-11-22"), day("2026-11-23")]).toEqual([1_440_000n, 1_440_000n, 3_000_000n]);
		// The mean hour of a week: (2 × 1.44 + 5 × 3) ÷ 168.
		expect(cost.powerPerHour("busy")).toBe(106_428n);
	});
});

describe("electricity", () => {
	const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Africa/Casablanca"];

	it("is the sum of its quarter hours by local time, over any time and zone", () => {
		const START_MS = Date.parse("2026-01-01T00:00Z");
		const quarters = fc.integer({ min: 0, max: 370 * 96 });
		fc.assert(
			fc.property(fc.constantFrom(...zones), quarters, fc.integer({ min: 1, max: 400 }), (zone, from, length) => {
				const hours = [
					{ days: ["mon" as const, "sun" as const], fromHour: 1, toHour: 4, usdPerKwh: "0.5" },
					{ fromHour: 2, toHour: 23, usdPerKwh: "0.2" },
				];
				const { until } = electricityOf(power(hours), calendarOf(zone));
				const clock = new Intl.DateTimeFormat("en-US", { timeZone: zone, hourCycle: "h23", weekday: "short", hour: "numeric" });
				let sum = 0n;
				for (let at = START_MS + from * 15 * MINUTE_MS, i = 0; i < length; i++, at += 15 * MINUTE_MS) {
					const parts = Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, value]));
					const hour = Number(parts.hour);
					const early = (parts.weekday === "Mon" || parts.weekday === "Sun") && hour >= 1 && hour < 4;
					const price = early ? 500_000n : hour >= 2 && hour < 23 ? 200_000n : 100_000n;
					sum += price * BigInt(15 * MINUTE_MS);
				}
				const fromMs = START_MS + from * 15 * MINUTE_MS;
				expect(until(fromMs + length * 15 * MINUTE_MS) - until(fromMs)).toBe(sum);
			}),
			{ numRuns: 60 },
		);
	});

	it("with a single price has that price in every hour, whatever the zone", () => {
		const flat = { ...power([]), electricityUsdPerKwh: "0.123456" };
		const same = power([{ fromHour: 0, toHour: 24, usdPerKwh: "0.123456" }]);
		const [one, other] = [electricityOf(flat, UTC), electricityOf(same, calendarOf("America/New_York"))];
		const [fromMs, toMs] = [Date.parse("2026-02-01T05:17Z"), Date.parse("2026-12-03T01:02Z")];
		expect(other.until(toMs) - other.until(fromMs)).toBe(one.until(toMs) - one.until(fromMs));
		expect(other.weekSum).toBe(one.weekSum);
	});
});
