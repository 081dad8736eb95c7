import { describe, expect, it } from "vitest";
import type { BacktestMove, BacktestPlace, BacktestSums } from "#server/domain/backtest.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import {
	capacityOf,
	matches,
	prepareBudgets,
	prepareFigures,
	prepareMoves,
	prepareWaits,
	signedSpan,
	signedWeight,
} from "./prepare-result.ts";

const DAY = { date: "2026-01-05", cloudCostMicroUsd: "0", meanWaitMs: null, missedDeadlines: 0, emissionsGrams: 0 };

function sums(given: Partial<BacktestSums> = {}): BacktestSums {
	return {
		...{ jobs: 10, cloudCostMicroUsd: "0", ownedGpuHours: 0, cloudGpuHours: 0, ownedUtilisation: 0.5, meanWaitMs: 0, p95WaitMs: 0 },
		...{ missedDeadlines: 0, egressGiB: 0, emissionsGrams: 1_000, waits: [], budgets: [], days: [DAY] },
		...{ waitingAtEnd: 0, runningAtEnd: 0, askedForApproval: 0, deadlines: 4 },
		...given,
	};
}

function figure(id: string, published: Partial<BacktestSums>, draft: Partial<BacktestSums>) {
	return prepareFigures({ published: sums(published), draft: sums(draft) }).find((f) => f.id === id);
}

describe("backtest figures", () => {
	it("state the change and whether it is an improvement", () => {
		const cost = figure("cost", { cloudCostMicroUsd: "49240000000" }, { cloudCostMicroUsd: "45980000000" });
		expect(cost).toMatchObject({ amount: "$3,260", word: "less", tone: "good", pair: "$49,240 → $45,980" });
		expect(figure("misses", { missedDeadlines: 4 }, { missedDeadlines: 5 })).toMatchObject({ amount: "1", word: "more", tone: "bad" });
		expect(figure("utilisation", {}, { ownedUtilisation: 0.6 })).toMatchObject({ word: "more", tone: "good" });
		expect(figure("wait", {}, {})).toMatchObject({ amount: "No change", word: "", tone: "same" });
	});
	it("omit CO2e when a grid is unknown", () => {
		expect(figure("co2", {}, { emissionsGrams: null })).toMatchObject({ amount: "Unknown", tone: "same" });
	});
	it("omit days without comparable data", () => {
		const days = [DAY, { ...DAY, meanWaitMs: 5 * MINUTE_MS }];
		const other = [
			{ ...DAY, meanWaitMs: 1 },
			{ ...DAY, meanWaitMs: 2 * MINUTE_MS },
		];
		const wait = figure("wait", { days }, { days: other });
		expect(wait?.days).toEqual([null, -3 * MINUTE_MS]);
		expect(wait?.dayText(-3 * MINUTE_MS)).toBe("−3 min on average");
	});
});

describe("moved jobs", () => {
	const END_MS = 100 * HOUR_MS;
	const place = (given: Partial<BacktestPlace>): BacktestPlace => ({
		...{ place: "owned", waitMs: 0, costMicroUsd: "0", emissionsGrams: 10, finishedAtMs: HOUR_MS, explanation: "" },
		...given,
	});
	const move = (published: Partial<BacktestPlace>, draft: Partial<BacktestPlace>, deadlineAtMs: number | null): BacktestMove => ({
		...{ jobId: "j", name: "j", team: "t", class: "burst", gpus: 1, submittedAtMs: 0, deadlineAtMs },
		published: place(published),
		draft: place(draft),
	});
	const rowOf = (...given: Parameters<typeof move>) => prepareMoves([move(...given)], END_MS)[0];

	it("are newly late if only the draft misses the deadline, finished or not", () => {
		expect(rowOf({}, { finishedAtMs: 3 * HOUR_MS }, 2 * HOUR_MS)).toMatchObject({ newlyLate: true, spareMs: -HOUR_MS });
		expect(rowOf({}, { finishedAtMs: null }, 2 * HOUR_MS)).toMatchObject({ newlyLate: true, spareMs: null });
		expect(rowOf({ finishedAtMs: null }, { finishedAtMs: null }, 2 * HOUR_MS)?.newlyLate).toBe(false);
		expect(rowOf({}, { finishedAtMs: null }, END_MS + 1)?.newlyLate).toBe(false);
	});
	it("are later if they start later or never", () => {
		const later = [rowOf({}, { waitMs: 5 }, null), rowOf({}, { waitMs: null }, null), rowOf({ waitMs: 9 }, { waitMs: 5 }, null)];
		expect(later.map((row) => row && matches(row, "later"))).toEqual([true, true, false]);
	});
	it("show locations and differences", () => {
		expect(["owned", "at home in hall-b", "aws us-east-1 p4d.24xlarge spot", "gcp europe-west4 a2 on-demand"].map(capacityOf)).toEqual([
			"owned",
			"owned",
			"spot",
			"on_demand",
		]);
		expect([signedWeight(-2_500), signedWeight(null), signedSpan(90 * MINUTE_MS), signedSpan(null)]).toEqual([
			"−2.50 kg",
			"unknown",
			"+1 h 30",
			"not started",
		]);
	});
});

describe("groups and budgets", () => {
	it("show both sides even if only one has data", () => {
		const wait = { class: "burst" as const, jobs: 3 };
		const published = sums({
			waits: [
				{ ...wait, team: "a", meanWaitMs: 10 },
				{ ...wait, team: "b", meanWaitMs: 10 },
			],
			budgets: [{ id: "month", periodKey: "2026-01-01", capMicroUsd: "50000000000", postedMicroUsd: "1000000000" }],
		});
		const draft = sums({
			waits: [
				{ ...wait, team: "a", meanWaitMs: 11 },
				{ ...wait, team: "b", meanWaitMs: 90 },
			],
		});
		expect(prepareWaits({ published, draft }).map(({ team }) => team)).toEqual(["b", "a"]);
		expect(prepareBudgets({ published, draft })).toEqual([
			{ id: "month 2026-01-01", budget: "month", from: "2026-01-01", published: "$1,000 of $50,000", draft: null },
		]);
	});
});
