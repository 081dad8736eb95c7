import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { UNROUNDED } from "./billing-terms.ts";
import { diskCostUntil, diskMicroUsdPerHourMax, diskTermsOf } from "./disk.ts";
import { correctUsage, meterUsage } from "./meter-usage.ts";
import { aUsage, sumOf, T0 } from "./testing/build.ts";

/** $8 a month: 100 GiB of gp3 at $0.08. */
const gp3 = { microUsdPerMonth: 8_000_000n, terms: diskTermsOf("aws") };
const NOVEMBER = Date.UTC(2026, 10, 1);
const DECEMBER = Date.UTC(2026, 11, 1);

describe("disk cost", () => {
	it("Amazon's own example: 2,000 GB at $0.10 for 43,200 s of a month of 30 days: 0.10 × 2,000 × 43,200 ÷ (86,400 × 30) = $3.333333", () => {
		const disk = { microUsdPerMonth: 200_000_000n, terms: diskTermsOf("aws") };
		expect(diskCostUntil(disk, T0, 12 * HOUR_MS)).toBe(3_333_333n);
	});

	it("a whole month costs its price, whether it has 28, 29, 30 or 31 days", () => {
		for (const [year, month] of [
			[2027, 1],
			[2028, 1],
			[2026, 10],
			[2026, 11],
		] as const) {
			const startMs = Date.UTC(year, month);
			expect(diskCostUntil(gp3, startMs, Date.UTC(year, month + 1) - startMs)).toBe(8_000_000n);
		}
	});

	it("36 h over the end of November, at $8: 12 of 720 h + 24 of 744 h = 133,333.3 + 258,064.5 = 391,397 µ$", () => {
		expect(diskCostUntil(gp3, DECEMBER - 12 * HOUR_MS, 36 * HOUR_MS)).toBe(391_397n);
	});

	it("12 s on AWS count as 60: 8,000,000 × 60 ÷ 2,592,000 = 185 µ$; 12 s on Google as 12: 37 µ$; no time costs nothing", () => {
		expect(diskCostUntil(gp3, NOVEMBER, 12 * SECOND_MS)).toBe(185n);
		expect(diskCostUntil({ ...gp3, terms: diskTermsOf("gcp") }, NOVEMBER, 12 * SECOND_MS)).toBe(37n);
		expect(diskTermsOf("azure")).toBe(UNROUNDED);
		expect(diskCostUntil(gp3, NOVEMBER, 0)).toBe(0n);
	});

	it("property: no hour of any month costs more than the maximum that a hold assumes", () => {
		fc.assert(
			fc.property(fc.bigInt(1n, 10n ** 9n), fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 1, max: 60 }), (price, day, hours) => {
				const disk = { microUsdPerMonth: price, terms: diskTermsOf("gcp") };
				const cost = diskCostUntil(disk, NOVEMBER + day * DAY_MS, hours * HOUR_MS);
				expect(cost).toBeLessThanOrEqual(diskMicroUsdPerHourMax(disk) * BigInt(hours));
			}),
		);
	});
});

describe("metering a machine's disk", () => {
	it("10:30 to 12:00 at $8 a month of 720 h: 5,555 + 11,111 µ$ as storage, without GPU time and energy, separate from the machine's own", () => {
		const startMs = T0 + 30 * MINUTE_MS;
		const { charges } = meterUsage(aUsage({ startMs, endMs: T0 + 2 * HOUR_MS, disk: gp3 }), null, T0 + 3 * HOUR_MS);
		const disks = charges.filter((c) => c.dimensions.kind === "storage");
		expect(disks).toMatchObject([
			{ periodStartMs: startMs, periodEndMs: T0 + HOUR_MS, listMicroUsd: 5_555n, effectiveMicroUsd: 5_555n, billedMicroUsd: 5_555n },
			{ periodStartMs: T0 + HOUR_MS, periodEndMs: T0 + 2 * HOUR_MS, effectiveMicroUsd: 11_111n, gpuMs: 0n, energyMilliWh: 0n },
		]);
		const without = meterUsage(aUsage({ startMs, endMs: T0 + 2 * HOUR_MS }), null, T0 + 3 * HOUR_MS).charges;
		expect(charges.filter((c) => c.dimensions.kind !== "storage")).toEqual(without);
	});

	it("property: a disk's charges add up to the same whenever the meter runs, even when it learns the end late", () => {
		const moments = fc.array(fc.integer({ min: 0, max: 40 * DAY_MS }), { maxLength: 6 });
		fc.assert(
			fc.property(moments, fc.integer({ min: 1, max: 40 * DAY_MS }), (looks, lastedMs) => {
				const open = aUsage({ disk: gp3 });
				const ended = { ...open, endMs: T0 + lastedMs };
				let done: number | null = null;
				let sum = 0n;
				for (const look of looks.toSorted((a, b) => a - b)) {
					const metered = meterUsage(open, done, T0 + look);
					sum += storageOf(metered.charges);
					done = metered.meteredUntilMs;
				}
				const last = meterUsage(ended, done, T0 + 41 * DAY_MS);
				// A reversal is a correction when the machine's time and its disk look alike.
				const back = sumOf(
					last.charges.filter((c) => c.correction !== null && c.gpuMs === 0n),
					(c) => c.effectiveMicroUsd,
				);
				expect(sum + storageOf(last.charges) + back).toBe(diskCostUntil(gp3, T0, lastedMs));
			}),
			{ numRuns: 60 },
		);
	});

	it("corrects only the machine's time when a price arrives late: the disk is both in the posted and the due amount", () => {
		const usage = aUsage({ endMs: T0 + HOUR_MS, disk: gp3 });
		const { charges } = meterUsage(usage, null, T0 + HOUR_MS);
		const posted = new Map([[T0, sumOf(charges, (c) => c.effectiveMicroUsd)]]);
		expect(correctUsage(usage, posted, T0 + HOUR_MS)).toEqual([]);
		const higherPrice = { ...usage, prices: [{ fromMs: T0, microUsdPerHour: 500_000n, listMicroUsdPerHour: 1_006_000n }] };
		expect(correctUsage(higherPrice, posted, T0 + HOUR_MS)).toMatchObject([{ effectiveMicroUsd: 95_800n }]);
	});
});

function storageOf(charges: ReturnType<typeof meterUsage>["charges"]): bigint {
	return sumOf(
		charges.filter((c) => c.dimensions.kind === "storage"),
		(c) => c.effectiveMicroUsd,
	);
}
