import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { costOfElapsed } from "#server/kernel/money.ts";
import { HOUR_MS, SECOND_MS } from "#server/kernel/units.ts";
import { billingTermsOf, UNROUNDED } from "./billing-terms.ts";
import { meterUsage, type Usage } from "./meter-usage.ts";
import { aUsage, sumOf, T0 } from "./testing/build.ts";

const costOf = (usage: Usage, doneMs: number | null, nowMs: number) =>
	sumOf(meterUsage(usage, doneMs, nowMs).charges, (c) => c.effectiveMicroUsd);

describe("meterUsage, worked by hand", () => {
	it("g5.xlarge spot at $0.4042/h for 1,234 s: 404,200 × 1,234 / 3,600 = 138,550.77… → 138,550 µ$; list 1,006,000 × 1,234 / 3,600 = 344,834 µ$", () => {
		const { charges, meteredUntilMs } = meterUsage(aUsage({ endMs: T0 + 1_234 * SECOND_MS }), null, T0 + HOUR_MS);
		expect(charges).toHaveLength(1);
		expect(charges[0]).toMatchObject({ effectiveMicroUsd: 138_550n, billedMicroUsd: 138_550n, listMicroUsd: 344_834n, gpuMs: 1_234_000n });
		expect(meteredUntilMs).toBe(T0 + 1_234 * SECOND_MS);
	});

	it("10:59:30 to 11:00:30 at $3.60/h is split at the hour: 30,000 + 30,000 µ$, but the 60 s minimum is charged up front: 60,000 + 0", () => {
		const prices = [{ fromMs: 0, microUsdPerHour: 3_600_000n, listMicroUsdPerHour: 3_600_000n }];
		const usage = aUsage({ startMs: T0 + 3_570 * SECOND_MS, endMs: T0 + 3_630 * SECOND_MS, prices });
		const { charges } = meterUsage(usage, null, T0 + 2 * HOUR_MS);
		expect(charges.map((c) => [c.periodEndMs - c.periodStartMs, c.effectiveMicroUsd])).toEqual([
			[30_000, 60_000n],
			[30_000, 0n],
		]);
		const unrounded = meterUsage({ ...usage, terms: UNROUNDED }, null, T0 + 2 * HOUR_MS);
		expect(unrounded.charges.map((c) => c.effectiveMicroUsd)).toEqual([30_000n, 30_000n]);
	});

	it("12 s at $3.60/h costs the minimum of 60 s: 60,000 µ$, immediately and not again at the end", () => {
		const usage = aUsage({ prices: [{ fromMs: T0, microUsdPerHour: 3_600_000n, listMicroUsdPerHour: 3_600_000n }] });
		expect(costOf(usage, null, T0 + 1)).toBe(60_000n);
		expect(costOf({ ...usage, endMs: T0 + 12_000 }, T0 + 1, T0 + 60_000)).toBe(0n);
	});

	it("6 min 45 s on Azure at $3.60/h are billed as 6 min: 360,000 µ$, and 59 s as nothing", () => {
		const terms = billingTermsOf("azure");
		const usage = aUsage({ terms, prices: [{ fromMs: T0, microUsdPerHour: 3_600_000n, listMicroUsdPerHour: 3_600_000n }] });
		expect(costOf({ ...usage, endMs: T0 + 405 * SECOND_MS }, null, T0 + HOUR_MS)).toBe(360_000n);
		expect(costOf({ ...usage, endMs: T0 + 59 * SECOND_MS }, null, T0 + HOUR_MS)).toBe(0n);
	});

	it("61.2 s at $3.60/h is billed as 62 s: 62,000 µ$", () => {
		const usage = aUsage({ prices: [{ fromMs: T0, microUsdPerHour: 3_600_000n, listMicroUsdPerHour: 3_600_000n }], endMs: T0 + 61_200 });
		expect(costOf(usage, null, T0 + HOUR_MS)).toBe(62_000n);
	});

	it("a price that changes from $1.00 to $1.30 after 20 of 50 minutes: 333,333.3 + 650,000 = 983,333 µ$", () => {
		const prices = [
			{ fromMs: T0, microUsdPerHour: 1_000_000n, listMicroUsdPerHour: 2_000_000n },
			{ fromMs: T0 + 20 * 60_000, microUsdPerHour: 1_300_000n, listMicroUsdPerHour: 2_000_000n },
		];
		expect(costOf(aUsage({ prices, endMs: T0 + 50 * 60_000 }), null, T0 + HOUR_MS)).toBe(983_333n);
	});

	it("a month boundary, 2026-11-30T23:30Z to 2026-12-01T00:15Z at $4/h: 2,000,000 µ$ in November, 1,000,000 µ$ in December", () => {
		const startMs = Date.UTC(2026, 10, 30, 23, 30);
		const prices = [{ fromMs: startMs, microUsdPerHour: 4_000_000n, listMicroUsdPerHour: 4_000_000n }];
		const { charges } = meterUsage(aUsage({ startMs, endMs: startMs + 45 * 60_000, prices }), null, startMs + HOUR_MS);
		expect(charges.map((c) => [new Date(c.periodStartMs).toISOString().slice(0, 7), c.effectiveMicroUsd])).toEqual([
			["2026-11", 2_000_000n],
			["2026-12", 1_000_000n],
		]);
	});

	it("an end learned 90 s late is reversed by an adjustment: 300 s metered, 210 s used", () => {
		const usage = aUsage({ prices: [{ fromMs: T0, microUsdPerHour: 3_600_000n, listMicroUsdPerHour: 3_600_000n }] });
		const first = meterUsage(usage, null, T0 + 300_000);
		const second = meterUsage({ ...usage, endMs: T0 + 210_000 }, first.meteredUntilMs, T0 + 330_000);
		expect(second.charges.map((c) => [c.dimensions.kind, c.effectiveMicroUsd, c.gpuMs])).toEqual([["adjustment", -90_000n, -90_000n]]);
		expect(second.meteredUntilMs).toBe(T0 + 210_000);
		expect(meterUsage({ ...usage, endMs: T0 + 210_000 }, second.meteredUntilMs, T0 + HOUR_MS).charges).toEqual([]);
	});

	it("1 h at $3.60/h, stopped for 30 min of it, with a disk of $7.20 in a month of 30 days: 1,800,000 + 10,000 µ$, and half the GPU time", () => {
		const startMs = Date.UTC(2026, 8, 1);
		const usage = aUsage({
			...{ startMs, endMs: startMs + HOUR_MS, stopped: { fromMs: startMs + 900_000, toMs: startMs + 2_700_000 } },
			prices: [{ fromMs: startMs, microUsdPerHour: 3_600_000n, listMicroUsdPerHour: 3_600_000n }],
			disk: { microUsdPerMonth: 7_200_000n, terms: UNROUNDED },
		});
		const { charges } = meterUsage(usage, null, startMs + HOUR_MS);
		expect(sumOf(charges, (c) => c.effectiveMicroUsd)).toBe(1_810_000n);
		expect(sumOf(charges, (c) => c.gpuMs)).toBe(1_800_000n * BigInt(usage.gpus));
		const whole = meterUsage({ ...usage, stopped: undefined }, null, startMs + HOUR_MS).charges;
		expect(2n * sumOf(charges, (c) => c.energyMilliWh)).toBe(sumOf(whole, (c) => c.energyMilliWh));
		const open = { ...usage, endMs: null, stopped: { fromMs: startMs + 900_000, toMs: null } };
		const inParts = meterUsage(open, null, startMs + 1_200_000);
		expect(costOf(open, inParts.meteredUntilMs, startMs + HOUR_MS)).toBe(6_667n);
	});

	it("charges nothing before the launch, and rejects a price of 0", () => {
		expect(meterUsage(aUsage(), null, T0 - 5_000)).toEqual({ charges: [], meteredUntilMs: T0 });
		const free = aUsage({ prices: [{ fromMs: T0, microUsdPerHour: 0n, listMicroUsdPerHour: 0n }] });
		expect(() => meterUsage(free, null, T0 + 1)).toThrow(/price of 0/);
	});
});

describe("meterUsage properties", () => {
	const cuts = fc
		.array(fc.integer({ min: 0, max: 20 * HOUR_MS }), { minLength: 1, maxLength: 12 })
		.map((list) => list.sort((a, b) => a - b));
	const usages = fc
		.record({
			offset: fc.integer({ min: 0, max: HOUR_MS - 1 }),
			price: fc.bigInt(1n, 100_000_000n),
			laterPrice: fc.bigInt(1n, 100_000_000n),
			changeAfter: fc.integer({ min: 0, max: 20 * HOUR_MS }),
			gpus: fc.integer({ min: 1, max: 16 }),
			cloud: fc.constantFrom("aws", "azure", null),
		})
		.map((v) => {
			const startMs = T0 + v.offset;
			return aUsage({
				startMs,
				gpus: v.gpus,
				prices: [
					{ fromMs: startMs, microUsdPerHour: v.price, listMicroUsdPerHour: v.price + 1n },
					{ fromMs: startMs + v.changeAfter, microUsdPerHour: v.laterPrice, listMicroUsdPerHour: v.laterPrice + 1n },
				],
				terms: v.cloud === null ? UNROUNDED : billingTermsOf(v.cloud),
			});
		});

	it("adds up to the same for any split points: money, list price, GPU time, energy, emissions", () => {
		fc.assert(
			fc.property(usages, cuts, (usage, points) => {
				const endMs = usage.startMs + (points.at(-1) ?? 0);
				const whole = meterUsage({ ...usage, endMs }, null, endMs + 1).charges;
				let doneMs: number | null = null;
				const parts = points.flatMap((point) => {
					const metered = meterUsage(usage, doneMs, usage.startMs + point);
					doneMs = metered.meteredUntilMs;
					return metered.charges;
				});
				for (const field of ["effectiveMicroUsd", "listMicroUsd", "gpuMs", "energyMilliWh", "emissionsMilligrams"] as const) {
					expect(sumOf(parts, (c) => c[field])).toBe(sumOf(whole, (c) => c[field]));
				}
			}),
		);
	});

	it("equals the kernel's price of the whole time when nothing is rounded", () => {
		fc.assert(
			fc.property(fc.bigInt(1n, 100_000_000n), fc.integer({ min: 1, max: 50 * HOUR_MS }), (price, lengthMs) => {
				const usage = aUsage({
					prices: [{ fromMs: T0, microUsdPerHour: price, listMicroUsdPerHour: price }],
					terms: UNROUNDED,
					endMs: T0 + lengthMs,
				});
				expect(costOf(usage, null, T0 + lengthMs)).toBe(costOfElapsed(price, lengthMs));
			}),
		);
	});

	it("a late end gives the same charges as an end known in time", () => {
		fc.assert(
			fc.property(usages, cuts, (usage, points) => {
				const late = usage.startMs + (points.at(-1) ?? 0);
				const endMs = usage.startMs + (points[0] ?? 0);
				const first = meterUsage(usage, null, late);
				const correction = meterUsage({ ...usage, endMs }, first.meteredUntilMs, late + 1);
				const right = meterUsage({ ...usage, endMs }, null, late + 1).charges;
				for (const field of ["effectiveMicroUsd", "gpuMs", "emissionsMilligrams"] as const) {
					expect(sumOf([...first.charges, ...correction.charges], (c) => c[field])).toBe(sumOf(right, (c) => c[field]));
				}
			}),
		);
	});

	it("time kept warm and time with a job add up to the whole, and meet when the job was assigned", () => {
		fc.assert(
			fc.property(usages, cuts, fc.nat(5 * HOUR_MS), (usage, points, warmMs) => {
				const endMs = usage.startMs + (points.at(-1) ?? 0);
				const assignedMs = usage.startMs + warmMs;
				let doneMs: number | null = null;
				const parts = [...points, endMs - usage.startMs].flatMap((point) => {
					const atMs = usage.startMs + point;
					const warm = { untilMs: atMs < assignedMs ? Number.POSITIVE_INFINITY : assignedMs };
					const metered = meterUsage({ ...usage, warm, endMs: atMs === endMs ? endMs : null }, doneMs, atMs);
					doneMs = metered.meteredUntilMs;
					return metered.charges;
				});
				const whole = meterUsage({ ...usage, endMs }, null, endMs).charges;
				expect(sumOf(parts, (c) => c.effectiveMicroUsd)).toBe(sumOf(whole, (c) => c.effectiveMicroUsd));
				const warm = parts.filter((c) => c.dimensions.kind === "kept_warm");
				expect(sumOf(warm, (c) => c.gpuMs)).toBe(BigInt(usage.gpus) * BigInt(Math.min(endMs, assignedMs) - usage.startMs));
				for (const c of parts) {
					const isWarm = c.dimensions.kind === "kept_warm";
					expect([c.jobId === null, c.dimensions.team === "", c.periodEndMs <= assignedMs]).toEqual([isWarm, isWarm, isWarm]);
				}
			}),
		);
	});

	it("no charge crosses an hour, is empty or is negative as time advances", () => {
		fc.assert(
			fc.property(usages, cuts, (usage, points) => {
				for (const c of meterUsage(usage, null, usage.startMs + (points.at(-1) ?? 0)).charges) {
					expect(c.periodStartMs).toBeLessThan(c.periodEndMs);
					expect(Math.floor(c.periodStartMs / HOUR_MS)).toBe(Math.floor((c.periodEndMs - 1) / HOUR_MS));
					expect(c.effectiveMicroUsd >= 0n && c.energyMilliWh >= 0n && (c.emissionsMilligrams ?? 0n) >= 0n).toBe(true);
				}
			}),
		);
	});
});
