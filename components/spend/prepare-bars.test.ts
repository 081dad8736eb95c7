import { describe, expect, it } from "vitest";
import { prepareSpendBars } from "./prepare-bars.ts";
import type { SpendPage } from "./prepare-table.ts";

const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 1);
type Day = SpendPage["days"][number];
const day = (n: number, more: Partial<Day>): Day => ({
	...{ dayStartMs: START + n * DAY, ownedMicroUsd: 0n, idleMicroUsd: 0n, cloudMicroUsd: 0n, totalMicroUsd: 0n },
	...{ spotMicroUsd: 0n, onDemandMicroUsd: 0n, reservedMicroUsd: 0n },
	...{ gpuMs: 0n, ownedGpuMs: 0n, cloudGpuMs: 0n, spotGpuMs: 0n, onDemandGpuMs: 0n, reservedGpuMs: 0n, idleGpuMs: 0n },
	...{ energyMilliWh: 0n, emissionsMilligrams: 0n },
	...more,
});

describe("prepareSpendBars", () => {
	const days = [day(0, { ownedMicroUsd: 2_000_000n, spotMicroUsd: 500_000n }), day(1, {}), day(2, { ownedMicroUsd: 1_230_000n })];
	const bars = prepareSpendBars(days, START + 2 * DAY + 5 * 3_600_000);

	it("keeps to what was spent at all, owned below", () => expect(bars.series.map((s) => s.id)).toEqual(["used", "spot"]));

	it("draws a day without charges as nothing, because the ledger knows that there were none", () =>
		expect(bars.bars[1]?.posted.map((v) => v.value)).toEqual([0, 0]));

	it("says of today how far it goes", () => {
		expect(bars.bars[2]).toMatchObject({ label: "Today to 05:00", tick: "today", partial: true });
		expect(bars.bars[2]?.posted[0]).toMatchObject({ value: 1.23, text: "$1.23" });
	});
});
