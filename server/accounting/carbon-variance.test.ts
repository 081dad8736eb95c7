import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CARBON_CAUSES } from "#server/domain/variance-cause.ts";
import { cases } from "#server/kernel/testing/deep.ts";
import { type CarbonCell, explainCarbonVariance } from "./carbon-variance.ts";

const HOUR = 3_600_000n;
/** GPU-hours, their energy in Wh and the grid's mg per Wh. */
const cell = (hours: bigint, wh: bigint, mgPerWh: bigint, some: Partial<CarbonCell> = {}): CarbonCell => ({
	...{ team: "research", project: "small-lm", siteId: "aws", region: "us-east-1", capacityType: "spot", accelerator: "H100-80GB" },
	...{ kind: "compute", idle: false, gpuMs: hours * HOUR, lostGpuMs: 0n, energyMilliWh: wh * 1_000n },
	...{ operationalMilligrams: wh * mgPerWh, operationalUnknownGpuMs: 0n, embodiedMilligrams: 0n, embodiedUnknownGpuMs: 0n },
	...some,
});
const causes = (before: CarbonCell[], after: CarbonCell[]) =>
	Object.fromEntries(Object.entries(explainCarbonVariance(before, after).byCause).flatMap(([k, v]) => (v === 0n ? [] : [[k, Number(v)]])));

describe("explainCarbonVariance", () => {
	it("attributes the same energy on a cleaner grid to the grid", () =>
		expect(causes([cell(10n, 5_000n, 400n)], [cell(10n, 5_000n, 300n)])).toEqual({ grid: -500_000 }));
	it("attributes twice the hours to hours at the old intensity, and the rest to the grid", () =>
		expect(causes([cell(10n, 5_000n, 400n)], [cell(20n, 10_000n, 300n)])).toEqual({ hours: 2_000_000, grid: -1_000_000 }));
	it("attributes more energy in the same hours to power", () =>
		expect(causes([cell(10n, 5_000n, 400n)], [cell(10n, 6_000n, 400n)])).toEqual({ power: 400_000 }));
	it("attributes another mix of regions to place, whatever the capacity type", () =>
		expect(
			causes(
				[cell(10n, 5_000n, 400n), cell(10n, 5_000n, 20n, { region: "eu-north-1" })],
				[cell(20n, 10_000n, 20n, { region: "eu-north-1", capacityType: "on_demand" })],
			),
		).toEqual({ place: -1_900_000 }));
	it("new, finished, lost and idle", () =>
		expect(
			causes(
				[cell(1n, 500n, 400n), cell(1n, 100n, 400n, { project: "evals" })],
				[
					cell(2n, 1_000n, 400n, { lostGpuMs: HOUR }),
					cell(1n, 700n, 1n, { project: "probe" }),
					cell(9n, 90n, 100n, { team: "", project: "", capacityType: "owned", idle: true }),
				],
			),
		).toEqual({ started: 700, ended: -40_000, lost: 200_000, idle: 9_000 }));
	it("attributes embodied emissions to hours, and a changed figure per hour separately", () =>
		expect(causes([cell(10n, 0n, 0n, { embodiedMilligrams: 100n })], [cell(20n, 0n, 0n, { embodiedMilligrams: 300n })])).toEqual({
			hours: 100,
			embodied: 100,
		}));
	it("ignores time without known emissions", () =>
		expect(
			causes(
				[cell(10n, 5_000n, 400n)],
				[cell(10n, 5_000n, 400n), cell(50n, 0n, 0n, { accelerator: "Mystery-1", operationalUnknownGpuMs: 50n * HOUR })],
			),
		).toEqual({}));

	it("adds up to the milligram on any ledger", () => {
		const amount = fc.bigInt(-(10n ** 6n), 10n ** 12n);
		const some = fc.record({
			...{ team: fc.constantFrom("a", "b", ""), project: fc.constantFrom("x", "y"), siteId: fc.constantFrom("home", "aws") },
			...{ region: fc.constantFrom("r1", "r2"), capacityType: fc.constantFrom("owned", "spot", "on_demand", "reserved") },
			...{ accelerator: fc.constantFrom("H100", "A100"), kind: fc.constantFrom("compute", "boot", "egress", "credit"), idle: fc.boolean() },
			...{ gpuMs: fc.bigInt(0n, 10n ** 12n), lostGpuMs: fc.bigInt(0n, 10n ** 9n), energyMilliWh: amount },
			...{ operationalMilligrams: amount, operationalUnknownGpuMs: fc.constantFrom(0n, 10n ** 8n) },
			...{ embodiedMilligrams: amount, embodiedUnknownGpuMs: fc.constantFrom(0n, 10n ** 8n) },
		}) as fc.Arbitrary<CarbonCell>;
		fc.assert(
			fc.property(fc.array(some, { maxLength: 12 }), fc.array(some, { maxLength: 12 }), (before, after) => {
				const v = explainCarbonVariance(before, after);
				const emitted = (cells: CarbonCell[]) => cells.reduce((sum, c) => sum + c.operationalMilligrams + c.embodiedMilligrams, 0n);
				const change = emitted(after) - emitted(before);
				expect(CARBON_CAUSES.reduce((sum, cause) => sum + v.byCause[cause], 0n)).toBe(change);
				expect(v.parts.reduce((sum, part) => sum + part.amount, 0n)).toBe(change);
				expect(v.afterAmount - v.beforeAmount).toBe(change);
			}),
			{ numRuns: cases(200, 3_000) },
		);
	});
});
