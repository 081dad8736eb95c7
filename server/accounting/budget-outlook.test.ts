import { describe, expect, it } from "vitest";
import { DAY_MS } from "#server/kernel/units.ts";
import { budgetOutlook } from "./budget-outlook.ts";

const USD = 1_000_000n;
const END_MS = Date.UTC(2026, 10, 30);
/** Ten whole days are left. */
const NOW_MS = END_MS - 10 * DAY_MS;
const daily = (usd: bigint, days = 28) =>
	Array.from({ length: days }, (_, i) => ({ dayStartMs: NOW_MS - (days - i) * DAY_MS, microUsd: usd * USD }));
const period = { nowMs: NOW_MS, periodEndMs: END_MS };

describe("budgetOutlook, worked by hand", () => {
	it("$100 posted; $10 a day at 50%, 100% and 150% of the demand, and $2 a day without a forecast: $170, $220, $270", () => {
		const outlook = budgetOutlook({
			...{ ...period, postedMicroUsd: 100n * USD },
			teams: [
				{ team: "ads", history: daily(2n), demand: null },
				{ team: "vision", history: daily(10n), demand: { p10: 0.5, p50: 1, p90: 1.5 } },
			],
		});
		expect([outlook?.lowMicroUsd, outlook?.expectedMicroUsd, outlook?.highMicroUsd]).toEqual([170n * USD, 220n * USD, 270n * USD]);
		expect(outlook?.teams.map(({ team, unchangedMicroUsd }) => [team, unchangedMicroUsd])).toEqual([
			["vision", 100n * USD],
			["ads", 20n * USD],
		]);
	});

	it("is what was posted when no team has spent, and nothing with fewer than 7 days", () => {
		expect(budgetOutlook({ ...period, postedMicroUsd: 5n * USD, teams: [] })).toEqual({
			...{ lowMicroUsd: 5n * USD, expectedMicroUsd: 5n * USD, highMicroUsd: 5n * USD, teams: [] },
		});
		const teams = [{ team: "ads", history: daily(2n, 6), demand: null }];
		expect(budgetOutlook({ ...period, postedMicroUsd: 0n, teams })).toBeNull();
	});
});
