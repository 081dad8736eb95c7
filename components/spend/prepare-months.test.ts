import { describe, expect, it } from "vitest";
import { prepareMonths } from "./prepare-months.ts";
import type { SpendPage } from "./prepare-table.ts";
import type { SpendView } from "./view.ts";

const HOUR = 3_600_000n;
type Point = SpendPage["series"]["points"][number];
const month = (n: number, ownedMicroUsd: bigint, idleMicroUsd = 0n): Point => ({
	...{ fromMs: Date.UTC(2026, n, 1), toMs: Date.UTC(2026, n + 1, 1), ownedMicroUsd, idleMicroUsd, cloudMicroUsd: 0n },
	...{ totalMicroUsd: ownedMicroUsd + idleMicroUsd, spotMicroUsd: 0n, onDemandMicroUsd: 0n, reservedMicroUsd: 0n },
	...{ gpuMs: 2n * HOUR, ownedGpuMs: 2n * HOUR, cloudGpuMs: 0n, spotGpuMs: 0n, onDemandGpuMs: 0n, reservedGpuMs: 0n, idleGpuMs: 0n },
	...{ energyMilliWh: 0n, emissionsMilligrams: 0n },
});
const view: SpendView = { range: "7d", dates: null, by: "team", bucket: null, filters: { team: ["risk"] }, zone: "UTC" };
const total = { expectedMicroUsd: 180n, lowMicroUsd: 0n, highMicroUsd: 0n, samples: 28 };
const page = {
	months: { zone: "UTC", bucket: "month" as const, points: [month(7, 0n), month(8, 80n), month(9, 90n, 30n), month(10, 50n)] },
	forecast: { monthStartMs: 0, monthEndMs: 0, spentCloudMicroUsd: 0n, spentTotalMicroUsd: 50n, cloud: null, total, days: [] },
	ledgerStartMs: Date.UTC(2026, 8, 21),
};

describe("prepareMonths", () => {
	const rows = prepareMonths(page, view, Date.UTC(2026, 10, 19));

	it("lists newest first, starting with the ledger", () =>
		expect(rows.map((r) => [r.label, r.note])).toEqual([
			["November 2026", "to date"],
			["October 2026", null],
			["September 2026", "from 21 on"],
		]));

	it("compares full months only; the current month uses its forecast: 180 against 120 is +50%", () =>
		expect(rows.map((r) => r.change)).toEqual([{ value: 0.5, estimate: true }, null, null]));

	it("computes prices and idle share: (90 + 30) µ$ for 2 h are 60, and 30 of 120 are a quarter", () => {
		expect(rows[1]).toMatchObject({ ownedMicroUsdPerGpuHour: 60n, cloudMicroUsdPerGpuHour: null, idleShare: 0.25 });
	});

	it("links to the month's charges with the screen's filters", () =>
		expect(rows[1]?.total.href).toBe("/spend/charges?from=2026-10-01&to=2026-10-31&team=risk"));
});
