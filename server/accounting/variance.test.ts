import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VARIANCE_CAUSES } from "#server/domain/variance-cause.ts";
import { cases } from "#server/kernel/testing/deep.ts";
import { explainVariance, type VarianceCell } from "./variance.ts";

const HOUR = 3_600_000n;
const USD = 1_000_000n;
const cell = (hours: bigint, usd: bigint, some: Partial<VarianceCell> = {}): VarianceCell => ({
	...{ team: "research", project: "small-lm", siteId: "aws", region: "us-east-1", capacityType: "spot", accelerator: "H100-80GB" },
	...{ kind: "compute", idle: false, gpuMs: hours * HOUR, amount: usd * USD, lostGpuMs: 0n, lostAmount: 0n },
	...some,
});
const causes = (before: VarianceCell[], after: VarianceCell[]) =>
	Object.fromEntries(Object.entries(explainVariance(before, after).byCause).flatMap(([k, v]) => (v === 0n ? [] : [[k, Number(v / USD)]])));

describe("explainVariance", () => {
	it("attributes twice the hours at the same price to hours", () =>
		expect(causes([cell(10n, 20n)], [cell(20n, 40n)])).toEqual({ hours: 20 }));
	it("attributes the same hours at half the price to price", () =>
		expect(causes([cell(10n, 20n)], [cell(10n, 10n)])).toEqual({ price: -10 }));
	it("attributes a switch from spot to on-demand to capacity", () =>
		expect(
			causes([cell(10n, 20n), cell(10n, 60n, { capacityType: "on_demand" })], [cell(20n, 120n, { capacityType: "on_demand" })]),
		).toEqual({ capacity: 40 }));
	it("attributes a more expensive region to place", () =>
		expect(causes([cell(10n, 20n), cell(10n, 40n, { region: "eu-west-1" })], [cell(20n, 80n, { region: "eu-west-1" })])).toEqual({
			place: 20,
		}));
	it("new and finished work", () => {
		expect(causes([], [cell(1n, 7n)])).toEqual({ started: 7 });
		expect(causes([cell(1n, 7n)], [])).toEqual({ ended: -7 });
	});
	it("separates lost work, idle hardware and other kinds", () =>
		expect(
			causes(
				[cell(10n, 20n)],
				[
					cell(12n, 24n, { lostGpuMs: 2n * HOUR, lostAmount: 4n * USD }),
					cell(5n, 9n, { team: "", project: "", capacityType: "owned", idle: true }),
					cell(0n, 3n, { kind: "egress" }),
				],
			),
		).toEqual({ lost: 4, idle: 9, other: 3 }));

	it("names the largest effect first", () => {
		const { parts } = explainVariance([cell(10n, 20n)], [cell(30n, 60n), cell(1n, 3n, { project: "evals" })]);
		expect(parts.map(({ cause, project }) => [cause, project])).toEqual([
			["hours", "small-lm"],
			["started", "evals"],
		]);
	});

	it("adds up to the micro-dollar on any ledger", () => {
		const some = fc.record({
			...{ team: fc.constantFrom("a", "b", ""), project: fc.constantFrom("x", "y"), siteId: fc.constantFrom("home", "aws") },
			...{ region: fc.constantFrom("r1", "r2"), capacityType: fc.constantFrom("owned", "spot", "on_demand", "reserved") },
			...{ accelerator: fc.constantFrom("H100", "A100"), kind: fc.constantFrom("compute", "boot", "egress", "credit"), idle: fc.boolean() },
			...{ gpuMs: fc.bigInt(0n, 10n ** 12n), amount: fc.bigInt(-(10n ** 9n), 10n ** 12n) },
			...{ lostGpuMs: fc.bigInt(0n, 10n ** 9n), lostAmount: fc.bigInt(0n, 10n ** 9n) },
		}) as fc.Arbitrary<VarianceCell>;
		fc.assert(
			fc.property(fc.array(some, { maxLength: 12 }), fc.array(some, { maxLength: 12 }), (before, after) => {
				const v = explainVariance(before, after);
				const sum = (cells: readonly { amount: bigint }[]) => cells.reduce((s, c) => s + c.amount, 0n);
				const change = sum(after) - sum(before);
				expect(VARIANCE_CAUSES.reduce((s, cause) => s + v.byCause[cause], 0n)).toBe(change);
				expect(sum(v.parts)).toBe(change);
				expect(v.afterAmount - v.beforeAmount).toBe(change);
			}),
			{ numRuns: cases(200, 3_000) },
		);
	});
});
