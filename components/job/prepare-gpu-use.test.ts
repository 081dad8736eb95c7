import { describe, expect, it } from "vitest";
import { readCsv } from "#components/csv/read-csv.testing.ts";
import type { AttemptView } from "#components/trpc/outputs.ts";
import { type GpuUse, gpuUseCsv, prepareGpuUse } from "./prepare-gpu-use.ts";

const MINUTE = 60_000;
const FROM = Date.UTC(2026, 10, 21, 12);
const attempts = [{ id: "att_1", number: 1, placement: { capacityType: "spot" } }] as AttemptView[];
const use: GpuUse = {
	stepMs: MINUTE,
	attempts: [
		{
			attemptId: "att_1",
			measuredMinutes: 3,
			stretches: [
				{ atMs: FROM, utilisationPercent: 90, powerWatts: 600 },
				{ atMs: FROM + MINUTE, utilisationPercent: 60, powerWatts: null },
				{ atMs: FROM + 5 * MINUTE, utilisationPercent: 30, powerWatts: 300 },
			],
		},
	],
};

describe("prepareGpuUse", () => {
	it("keeps gaps for missing data and excludes them from averages: (90 + 60 + 30) / 3 = 60%, (600 + 300) / 2 = 450 W", () => {
		const [row] = prepareGpuUse(use, attempts);
		expect(row?.utilisation).toEqual([
			{ atMs: FROM, value: 90 },
			{ atMs: FROM + MINUTE, value: 60 },
			{ atMs: FROM + 2 * MINUTE, value: null },
			{ atMs: FROM + 5 * MINUTE, value: 30 },
		]);
		expect(row?.power.map((p) => p.value)).toEqual([600, null, null, 300]);
		expect(row).toMatchObject({ meanPercent: 60, meanWatts: 450, toMs: FROM + 6 * MINUTE });
	});

	it("has no average power without reported power", () => {
		const silent = use.attempts.map((a) => ({ ...a, stretches: a.stretches.map((s) => ({ ...s, powerWatts: null })) }));
		expect(prepareGpuUse({ ...use, attempts: silent }, attempts)[0]?.meanWatts).toBeNull();
	});

	it("exports each step; unreported values are empty", () => {
		const lines = readCsv(gpuUseCsv(use, prepareGpuUse(use, attempts)));
		expect(lines.map((l) => [l.Attempt, l["From (UTC)"], l["GPU utilization percent"], l["GPU power watts"]])).toEqual([
			["1", "2026-11-21T12:00:00.000Z", "90.0", "600.0"],
			["1", "2026-11-21T12:01:00.000Z", "60.0", ""],
			["1", "2026-11-21T12:05:00.000Z", "30.0", "300.0"],
		]);
	});
});
