import { describe, expect, it } from "vitest";
import { preparePrices } from "./prepare-prices.ts";
import type { SpendPage } from "./prepare-table.ts";

const HOUR = 3_600_000n;
type Item = SpendPage["groups"]["items"][number];
const NONE: Omit<Item, "key"> = {
	...{
		ownedMicroUsd: 0n,
		idleMicroUsd: 0n,
		cloudMicroUsd: 0n,
		totalMicroUsd: 0n,
		spotMicroUsd: 0n,
		onDemandMicroUsd: 0n,
		reservedMicroUsd: 0n,
	},
	...{ gpuMs: 0n, ownedGpuMs: 0n, cloudGpuMs: 0n, spotGpuMs: 0n, onDemandGpuMs: 0n, reservedGpuMs: 0n, idleGpuMs: 0n },
	...{ energyMilliWh: 0n, emissionsMilligrams: 0n },
};
const spend = (items: Item[]): SpendPage["byAccelerator"] => ({
	fromMs: 0,
	toMs: 1,
	zone: "UTC",
	groupBy: "accelerator",
	items,
	totals: NONE,
});

describe("preparePrices", () => {
	// 60 h used and 40 h idle cost $100: $1 per hour if always busy, $1.666666 per hour used.
	const l40s: Item = {
		...NONE,
		key: "L40S-48GB",
		ownedMicroUsd: 60_000_000n,
		idleMicroUsd: 40_000_000n,
		ownedGpuMs: 60n * HOUR,
		idleGpuMs: 40n * HOUR,
	};

	it("shows an owned model's price at full and at actual use", () => {
		const [row] = preparePrices(spend([l40s]), true).rows;
		expect(row).toMatchObject({ label: "Owned L40S-48GB", microUsd: 1_000_000n, asUsedMicroUsd: 1_666_666n });
	});

	it("separates cloud prices by capacity type and computes break-even utilization", () => {
		const both: Item = {
			...l40s,
			spotMicroUsd: 8_000_000n,
			spotGpuMs: 5n * HOUR,
			onDemandMicroUsd: 12_000_000n,
			onDemandGpuMs: 5n * HOUR,
			cloudMicroUsd: 20_000_000n,
			cloudGpuMs: 10n * HOUR,
		};
		const { rows, breakEven } = preparePrices(spend([both]), true);
		expect(rows.map((r) => [r.fill, r.microUsd])).toEqual([
			["owned", 1_000_000n],
			["spot", 1_600_000n],
			["on_demand", 2_400_000n],
		]);
		expect(breakEven).toEqual({ accelerator: "L40S-48GB", share: 0.5, busy: 0.6 });
	});

	it("omits utilization for users who cannot see idle time", () => {
		const { rows, breakEven } = preparePrices(spend([{ ...l40s, cloudMicroUsd: 2_000_000n, cloudGpuMs: HOUR }]), false);
		expect(rows[0]?.asUsedMicroUsd).toBeNull();
		expect(breakEven).toBeNull();
	});

	it("claims no break-even without cloud prices for a model", () => expect(preparePrices(spend([l40s]), true).breakEven).toBeNull());
});
