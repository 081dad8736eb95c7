import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { costOfElapsed } from "#server/kernel/money.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import type { ChargeDraft } from "./amounts.ts";
import { meterOwnedUse, meterPool, type OwnedUse } from "./meter-pool.ts";
import { aPool, aUse, sumOf, T0 } from "./testing/build.ts";

const money = (charges: readonly ChargeDraft[]) => sumOf(charges, (c) => c.effectiveMicroUsd);
const isIdle = (c: ChargeDraft) => c.poolId !== null;

describe("meterPool, worked by hand", () => {
	it("4 GPUs at $0.60/h, one used 30 min of an hour: 300,000 µ$ used + 2,100,000 µ$ idle = 2,400,000 µ$ owned", () => {
		const pool = aPool({ microUsdPerGpuHour: 600_000n });
		const use = aUse({ microUsdPerGpuHour: 600_000n, startMs: T0 + 10 * MINUTE_MS, endMs: T0 + 40 * MINUTE_MS });
		const { charges, idleMeteredUntilMs } = meterPool(pool, [use], T0 + HOUR_MS);
		expect(charges.map((c) => [c.dimensions.kind, c.dimensions.team, c.effectiveMicroUsd, c.billedMicroUsd, c.gpuMs])).toEqual([
			["compute", "risk", 300_000n, 0n, 1_800_000n],
			["idle", "", 2_100_000n, 0n, 12_600_000n],
		]);
		expect(idleMeteredUntilMs).toBe(T0 + HOUR_MS);
	});

	it("idle cards draw 11.4% of their board power: 4 × 150 W × 0.114 × PUE 1.58 for 1 h = 108.072 Wh, × 350 g/kWh = 37.8 g", () => {
		const [idle] = meterPool(aPool(), [], T0 + HOUR_MS).charges;
		expect(Number(idle?.energyMilliWh) / 1e3).toBeCloseTo(108.072, 2);
		expect(Number(idle?.emissionsMilligrams) / 1e3).toBeCloseTo(37.825, 2);
	});

	it("a job that ended 40 s before the last metering: its 40 s return to idle", () => {
		const pool = aPool({ microUsdPerGpuHour: 3_600_000n, idleMeteredUntilMs: T0 + 100_000 });
		const use = aUse({ microUsdPerGpuHour: 3_600_000n, meteredUntilMs: T0 + 100_000, endMs: T0 + 60_000 });
		const { charges, meteredUntilMs } = meterOwnedUse(pool, use, T0 + 200_000);
		expect(charges.map((c) => [c.dimensions.kind, c.allocationId, c.poolId, c.effectiveMicroUsd])).toEqual([
			["adjustment", "alc_1", null, -40_000n],
			["idle", null, "gpu", 40_000n],
		]);
		expect(meteredUntilMs).toBe(T0 + 60_000);
	});

	it("a job that started 10 s before the last metering takes these 10 s from idle", () => {
		const pool = aPool({ microUsdPerGpuHour: 3_600_000n, idleMeteredUntilMs: T0 + 100_000 });
		const use = aUse({ microUsdPerGpuHour: 3_600_000n, startMs: T0 + 90_000 });
		const { charges } = meterOwnedUse(pool, use, T0 + 120_000);
		expect(charges.map((c) => [c.dimensions.kind, c.poolId, c.effectiveMicroUsd])).toEqual([
			["compute", null, 30_000n],
			["adjustment", "gpu", -10_000n],
		]);
	});

	it("a pool that shrank below its usage has no idle time rather than a negative one", () => {
		const { charges } = meterPool(aPool({ gpus: 1 }), [aUse({ slots: [0, 1] })], T0 + HOUR_MS);
		expect(charges.filter(isIdle)).toEqual([]);
	});
});

describe("meterPool properties", () => {
	interface Slot {
		startMs: number;
		lengthMs: number;
		/** Number of metering rounds until the meter learns of the start and of the end. */
		seenLate: number;
	}
	/** Consecutive uses on four slots, in any pattern. */
	const schedule = fc
		.array(
			fc.array(
				fc.record({
					gapMs: fc.integer({ min: 0, max: 3 * HOUR_MS }),
					lengthMs: fc.integer({ min: 1, max: 5 * HOUR_MS }),
					seenLate: fc.integer({ min: 0, max: 2 }),
				}),
				{ maxLength: 5 },
			),
			{
				minLength: 4,
				maxLength: 4,
			},
		)
		.map((slots) =>
			slots.flatMap((list) => {
				let at = T0;
				return list.map(({ gapMs, lengthMs, seenLate }): Slot => {
					const startMs = at + gapMs;
					at = startMs + lengthMs;
					return { startMs, lengthMs, seenLate };
				});
			}),
		);
	const rounds = fc.array(fc.integer({ min: 1, max: 4 * HOUR_MS }), { minLength: 1, maxLength: 10 });
	const prices = fc.bigInt(1n, 20_000_000n);

	it("used + idle = owned to the micro-dollar at every moment, even when starts and ends are learned late", () => {
		fc.assert(
			fc.property(schedule, rounds, prices, (slots, steps, microUsdPerGpuHour) => {
				// A GPU for each use: with late updates, two uses of one slot may appear at once, which would exceed the pool.
				const gpus = slots.length + 1;
				let pool = aPool({ microUsdPerGpuHour, gpus });
				let nowMs = T0;
				const done = new Map<string, number>();
				const all: ChargeDraft[] = [];
				const learnt = steps.map((step) => {
					nowMs += step;
					return nowMs;
				});
				for (const [round, untilMs] of [...learnt, ...learnt.slice(0, 3).map(() => nowMs)].entries()) {
					const knownUntil = (late: number) => learnt[Math.max(0, round - late)] ?? nowMs;
					const uses = slots.flatMap((slot, i): OwnedUse[] => {
						const id = `alc_${i}`;
						if (slot.startMs > knownUntil(slot.seenLate) || slot.startMs > untilMs) return [];
						const endMs = slot.startMs + slot.lengthMs;
						const ended = endMs <= knownUntil(slot.seenLate) && endMs <= untilMs;
						return [
							aUse({
								allocationId: id,
								microUsdPerGpuHour,
								startMs: slot.startMs,
								endMs: ended ? endMs : null,
								meteredUntilMs: done.get(id) ?? null,
							}),
						];
					});
					const metered = meterPool(pool, uses, untilMs);
					for (const [id, ms] of metered.usesMeteredUntilMs) done.set(id, ms);
					all.push(...metered.charges);
					pool = { ...pool, idleMeteredUntilMs: metered.idleMeteredUntilMs };
					const owned = BigInt(gpus) * (costOfElapsed(microUsdPerGpuHour, untilMs) - costOfElapsed(microUsdPerGpuHour, T0));
					expect(money(all)).toBe(owned);
					expect(sumOf(all, (c) => c.gpuMs)).toBe(BigInt(gpus) * BigInt(untilMs - T0));
				}
				expect(money(all.filter((c) => !isIdle(c)))).toBeGreaterThanOrEqual(0n);
			}),
		);
	});

	it("is independent of how often it runs", () => {
		fc.assert(
			fc.property(schedule, rounds, prices, (slots, steps, microUsdPerGpuHour) => {
				const uses = slots.map((s, i) =>
					aUse({ allocationId: `alc_${i}`, microUsdPerGpuHour, startMs: s.startMs, endMs: s.startMs + s.lengthMs }),
				);
				let pool = aPool({ microUsdPerGpuHour });
				let nowMs = T0;
				const done = new Map<string, number>();
				const all: ChargeDraft[] = [];
				for (const step of steps) {
					nowMs += step;
					const known = uses.filter((u) => u.startMs <= nowMs).map((u) => ({ ...u, meteredUntilMs: done.get(u.allocationId) ?? null }));
					const metered = meterPool(pool, known, nowMs);
					for (const [id, ms] of metered.usesMeteredUntilMs) done.set(id, ms);
					all.push(...metered.charges);
					pool = { ...pool, idleMeteredUntilMs: metered.idleMeteredUntilMs };
				}
				const once = meterPool(
					aPool({ microUsdPerGpuHour }),
					uses.filter((u) => u.startMs <= nowMs),
					nowMs,
				).charges;
				for (const idle of [true, false]) {
					for (const field of ["effectiveMicroUsd", "gpuMs", "energyMilliWh", "emissionsMilligrams"] as const) {
						expect(
							sumOf(
								all.filter((c) => isIdle(c) === idle),
								(c) => c[field],
							),
						).toBe(
							sumOf(
								once.filter((c) => isIdle(c) === idle),
								(c) => c[field],
							),
						);
					}
				}
			}),
		);
	});
});
