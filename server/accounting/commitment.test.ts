import { describe, expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { amortizedUntil, type Commitment } from "./commitment.ts";
import { meterUsage } from "./meter-usage.ts";
import { aUsage, sumOf, T0 } from "./testing/build.ts";

/** $2,400 upfront and $6 an hour for three machines over 1,000 hours: $2.40 + $6 = $8.40 per hour, $2.80 per machine. */
const aCommitment = (changes: Partial<Commitment> = {}): Commitment => ({
	id: "cr-1",
	siteId: "aws",
	kind: "reservation",
	region: null,
	instanceType: "g5.xlarge",
	accelerator: "A10G-24GB",
	instances: 3,
	upfrontMicroUsd: 2_400_000_000n,
	hourlyMicroUsd: 6_000_000n,
	fromMs: T0,
	toMs: T0 + 1_000 * HOUR_MS,
	...changes,
});
const prices = [{ fromMs: T0, microUsdPerHour: 4_000_000n, listMicroUsdPerHour: 5_000_000n }];

describe("a commitment, worked by hand", () => {
	it("amortizes $2,400 + 1,000 h × $6 = $8,400 over its term, nothing before it and nothing after", () => {
		const commitment = aCommitment();
		const at = (hours: number) => amortizedUntil(commitment, T0 + hours * HOUR_MS);
		expect([at(-5), at(0), at(1), at(1_000), at(2_000)]).toEqual([0n, 0n, 8_400_000n, 8_400_000_000n, 8_400_000_000n]);
	});

	it("2 h of one machine of three: effective 2 × 8.40 / 3 = $5.60, billed $0, contracted 2 × $4, list 2 × $5", () => {
		const { charges } = meterUsage(aUsage({ prices, commitment: aCommitment(), endMs: T0 + 2 * HOUR_MS }), null, T0 + 3 * HOUR_MS);
		expect(sumOf(charges, (c) => c.effectiveMicroUsd)).toBe(5_600_000n);
		expect(sumOf(charges, (c) => c.billedMicroUsd)).toBe(0n);
		expect(sumOf(charges, (c) => c.contractedMicroUsd)).toBe(8_000_000n);
		expect(sumOf(charges, (c) => c.listMicroUsd)).toBe(10_000_000n);
	});

	it("a machine that outlives it by an hour pays its own price for that hour: $2.80 + $4, with $4 billed", () => {
		const commitment = aCommitment({ toMs: T0 + HOUR_MS, upfrontMicroUsd: 2_400_000n });
		const { charges } = meterUsage(aUsage({ prices, commitment, endMs: T0 + 2 * HOUR_MS }), null, T0 + 3 * HOUR_MS);
		expect(charges.map((c) => [c.effectiveMicroUsd, c.billedMicroUsd])).toEqual([
			[2_800_000n, 0n],
			[4_000_000n, 4_000_000n],
		]);
	});
});
