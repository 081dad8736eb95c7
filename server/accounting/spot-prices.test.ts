import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { meterUsage, type Phase } from "./meter-usage.ts";
import { spotSteps } from "./spot-prices.ts";
import { aUsage, sumOf, T0 } from "./testing/build.ts";

const dollars = (usd: number) => BigInt(Math.round(usd * 1e6));
const seen = (minutes: number, usd: number) => ({ atMs: T0 + minutes * MINUTE_MS, microUsdPerHour: dollars(usd) });
const launch = { microUsdPerHour: dollars(1), listMicroUsdPerHour: dollars(5) };

describe("spot prices, worked by hand", () => {
	it("aws, launched 10:20 at $1, seen $1.50 at 10:50 and $2 at 11:10: 10:20 to 11:20 at $1 + 11:20 to 12:20 at $2 = $3", () => {
		const startMs = T0 + 20 * MINUTE_MS;
		const prices = spotSteps({ provider: "aws", startMs, launch, observed: [seen(50, 1.5), seen(70, 2)] });
		expect(prices.map((p) => [(p.fromMs - startMs) / MINUTE_MS, p.microUsdPerHour])).toEqual([
			[0, 1_000_000n],
			[60, 2_000_000n],
		]);
		const { charges } = meterUsage(aUsage({ startMs, endMs: startMs + 2 * HOUR_MS, prices }), null, startMs + 3 * HOUR_MS);
		// 40 min at $1; 20 min at $1 + 40 min at $2; 20 min at $2.
		expect(charges.map((c) => c.effectiveMicroUsd)).toEqual([666_666n, 1_666_667n, 666_667n]);
		expect(sumOf(charges, (c) => c.listMicroUsd)).toBe(10_000_000n);
	});

	it("without a known rule, immediately: 30 min at $1 + 20 min at $1.50 + 10 min at $2.40 = 0.5 + 0.5 + 0.4 = $1.40", () => {
		const prices = spotSteps({ provider: "gcp", startMs: T0, launch, observed: [seen(-5, 9), seen(30, 1.5), seen(50, 2.4)] });
		const { charges } = meterUsage(aUsage({ endMs: T0 + HOUR_MS, prices }), null, T0 + HOUR_MS);
		expect(charges.map((c) => c.effectiveMicroUsd)).toEqual([1_400_000n]);
	});

	it("a change exactly at the start of an instance-hour applies from there, and a change to the same price is ignored", () => {
		expect(spotSteps({ provider: "aws", startMs: T0, launch, observed: [seen(60, 2), seen(70, 3), seen(80, 2)] })).toHaveLength(2);
		expect(spotSteps({ provider: "aws", startMs: T0, launch, observed: [seen(10, 2), seen(20, 1)] })).toHaveLength(1);
	});
});

describe("boot, staging and compute", () => {
	const phases: Phase[] = [
		{ fromMs: T0, kind: "boot" },
		{ fromMs: T0 + 2 * MINUTE_MS, kind: "staging" },
		{ fromMs: T0 + 5 * MINUTE_MS, kind: "compute" },
	];

	it("at $6/h: 2 min of boot $0.20, 3 of staging $0.30, 25 of compute $2.50, in one hour", () => {
		const prices = [{ fromMs: T0, microUsdPerHour: 6_000_000n, listMicroUsdPerHour: 6_000_000n }];
		const { charges } = meterUsage(aUsage({ prices, phases, endMs: T0 + 30 * MINUTE_MS }), null, T0 + HOUR_MS);
		expect(charges.map((c) => [c.dimensions.kind, c.effectiveMicroUsd])).toEqual([
			["boot", 200_000n],
			["staging", 300_000n],
			["compute", 2_500_000n],
		]);
	});

	it("a machine that ends after 10 s of boot pays the provider's minimum of 60 s as boot: $0.10 at $6/h", () => {
		const prices = [{ fromMs: T0, microUsdPerHour: 6_000_000n, listMicroUsdPerHour: 6_000_000n }];
		const { charges } = meterUsage(aUsage({ prices, phases: phases.slice(0, 1), endMs: T0 + 10_000 }), null, T0 + HOUR_MS);
		expect(charges.map((c) => [c.dimensions.kind, c.effectiveMicroUsd])).toEqual([["boot", 100_000n]]);
	});

	it("phases always add up to the cost of a single phase, in money, time and list price, whenever the meter runs", () => {
		const minutes = fc.integer({ min: 0, max: 300 });
		fc.assert(
			fc.property(
				fc.bigInt(1n, 99_999_999n),
				minutes,
				minutes,
				fc.array(minutes, { minLength: 1, maxLength: 8 }),
				(price, boot, stage, cuts) => {
					const prices = [{ fromMs: T0, microUsdPerHour: price, listMicroUsdPerHour: price }];
					const of: Phase[] = [
						{ fromMs: T0, kind: "boot" },
						{ fromMs: T0 + boot * MINUTE_MS, kind: "staging" },
						{ fromMs: T0 + (boot + stage) * MINUTE_MS, kind: "compute" },
					];
					const times = cuts.sort((a, b) => a - b).map((m) => T0 + m * MINUTE_MS);
					let done: number | null = null;
					const parts = times.flatMap((at) => {
						const metered = meterUsage(aUsage({ prices, phases: of }), done, at);
						done = metered.meteredUntilMs;
						return metered.charges;
					});
					const whole = meterUsage(aUsage({ prices, endMs: times.at(-1) ?? T0 }), null, T0 + 301 * MINUTE_MS).charges;
					for (const field of ["effectiveMicroUsd", "listMicroUsd", "gpuMs", "energyMilliWh"] as const) {
						expect(sumOf(parts, (c) => c[field])).toBe(sumOf(whole, (c) => c[field]));
					}
				},
			),
		);
	});
});
