import { describe, expect, it } from "vitest";
import { preparePrevious, prepareSpendBars } from "./prepare-bars.ts";
import type { SpendPage } from "./prepare-table.ts";

const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 1);
type Point = SpendPage["series"]["points"][number];
const day = (n: number, more: Partial<Point>): Point => ({
	...{ fromMs: START + n * DAY, toMs: START + (n + 1) * DAY, ownedMicroUsd: 0n, idleMicroUsd: 0n, cloudMicroUsd: 0n, totalMicroUsd: 0n },
	...{ spotMicroUsd: 0n, onDemandMicroUsd: 0n, reservedMicroUsd: 0n },
	...{ gpuMs: 0n, ownedGpuMs: 0n, cloudGpuMs: 0n, spotGpuMs: 0n, onDemandGpuMs: 0n, reservedGpuMs: 0n, idleGpuMs: 0n },
	...{ energyMilliWh: 0n, emissionsMilligrams: 0n },
	...more,
});
const toCome = (n: number, ownedMicroUsd: bigint): SpendPage["forecast"]["days"][number] => ({
	...{ dayStartMs: START + n * DAY, ownedMicroUsd, idleMicroUsd: 0n, reservedMicroUsd: 0n, spotMicroUsd: 0n, onDemandMicroUsd: 0n },
	...{ lowMicroUsd: ownedMicroUsd / 2n, highMicroUsd: ownedMicroUsd * 2n },
});

describe("prepareSpendBars", () => {
	const points = [
		day(0, {}),
		day(1, { ownedMicroUsd: 2_000_000n, spotMicroUsd: 500_000n, totalMicroUsd: 2_500_000n }),
		day(2, {}),
		day(3, { ownedMicroUsd: 1_230_000n, totalMicroUsd: 1_230_000n }),
	];
	const series = { zone: "UTC", bucket: "day" as const, points };
	const nowMs = START + 3 * DAY + 6 * 3_600_000;
	const ledgerStartMs = START + DAY;
	const bars = prepareSpendBars({ series, forecast: [], ledgerStartMs }, { nowMs, toMonthEnd: true });

	it("includes only series with spend, owned first", () => expect(bars.series.map((s) => s.id)).toEqual(["used", "spot"]));

	it("draws a day without charges as zero, and a gap before the ledger's start", () => {
		expect(bars.bars[2]?.posted.map((v) => v.value)).toEqual([0, 0]);
		expect(bars.bars[0]).toMatchObject({ label: "Sun 1 Nov: no data", posted: [], forecast: [] });
	});

	it("labels today as partial", () => {
		expect(bars.bars[3]).toMatchObject({ label: "Today to 06:00", tick: "today", partial: true, done: 1 });
		expect(bars.bars[3]?.posted[0]).toMatchObject({ value: 1.23, text: "$1.23" });
	});

	it("forecasts to the month's end: today's remainder on top of posted, with the combined range, then estimated days", () => {
		const ahead = { series, forecast: [toCome(3, 4_000_000n), toCome(4, 6_000_000n)], ledgerStartMs };
		const { bars: all } = prepareSpendBars(ahead, { nowMs, toMonthEnd: true });
		expect(all).toHaveLength(5);
		expect(all[3]).toMatchObject({ done: 0.25, range: { low: 2 + 1.23, high: 8 + 1.23 }, partial: false });
		expect(all[4]).toMatchObject({ posted: [], done: 0, range: { low: 3, high: 12 } });
		expect(all[4]?.forecast[0]?.text).toBe("≈ $6.00");
		expect(prepareSpendBars(ahead, { nowMs, toMonthEnd: false }).bars).toHaveLength(4);
	});

	it("supports months, weeks and the ledger's days", () => {
		const months = { zone: "UTC", bucket: "month" as const, points: [day(0, { ownedMicroUsd: 1n, toMs: START + 30 * DAY })] };
		const [month] = prepareSpendBars(
			{ series: months, forecast: [], ledgerStartMs: 0 },
			{ nowMs: START + 40 * DAY, toMonthEnd: false },
		).bars;
		expect(month).toMatchObject({ label: "November 2026", tick: "Nov 2026" });
		const berlin = {
			zone: "Europe/Berlin",
			bucket: "week" as const,
			points: [day(0, { fromMs: Date.UTC(2026, 10, 1, 23), toMs: START + 9 * DAY })],
		};
		expect(prepareSpendBars({ series: berlin, forecast: [], ledgerStartMs: 0 }, { nowMs, toMonthEnd: false }).bars[0]?.id).toBe(
			"2026-11-02",
		);
	});
});

describe("preparePrevious", () => {
	const points = [day(0, { totalMicroUsd: 9n }), day(1, { ownedMicroUsd: 2_000_000n, spotMicroUsd: 500_000n, totalMicroUsd: 2_500_000n })];
	const of = (hide: ("spot" | "used")[]) => preparePrevious(points, { ledgerStartMs: START + DAY, hide, label: "Previous: October" });

	it("adds up the visible series, and has no value before the ledger's start", () => {
		expect(of([])).toEqual({ label: "Previous: October", values: [null, { value: 2.5, text: "$2.50" }] });
		expect(of(["used"]).values[1]).toEqual({ value: 0.5, text: "$0.50" });
	});
});
