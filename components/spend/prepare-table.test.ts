import { describe, expect, it } from "vitest";
import { exactDollars, spendCsv } from "./export-csv.ts";
import { perGpuHour, prepareSpendTable, type SpendPage, type SpendRow } from "./prepare-table.ts";

const HOUR = 3_600_000n;
type Item = SpendPage["groups"]["items"][number];

const item = (key: string, more: Partial<Item>): Item => {
	const spot = more.spotMicroUsd ?? 0n;
	const onDemand = more.onDemandMicroUsd ?? 0n;
	const owned = more.ownedMicroUsd ?? 0n;
	const idle = more.idleMicroUsd ?? 0n;
	return {
		...{ key, ownedMicroUsd: owned, idleMicroUsd: idle, cloudMicroUsd: spot + onDemand, totalMicroUsd: owned + idle + spot + onDemand },
		...{ spotMicroUsd: spot, onDemandMicroUsd: onDemand, reservedMicroUsd: 0n },
		...{ gpuMs: 0n, ownedGpuMs: 0n, cloudGpuMs: 0n, spotGpuMs: 0n, onDemandGpuMs: 0n, reservedGpuMs: 0n, idleGpuMs: 0n },
		...{ energyMilliWh: 0n, emissionsMilligrams: 0n },
		...more,
	};
};

const spendOf = (groupBy: SpendPage["groups"]["groupBy"], items: Item[]): SpendPage["groups"] => {
	const { key: _, ...totals } = item("", {});
	for (const { key: __, ...one } of items) for (const name of Object.keys(one) as (keyof typeof one)[]) totals[name] += one[name];
	return { fromMs: 0, toMs: 1, groupBy, items, totals };
};

const above = (rows: readonly SpendRow[]) => rows.filter((r) => r.kind !== "total");
const sum = (rows: readonly SpendRow[], field: "ownedMicroUsd" | "cloudMicroUsd" | "totalMicroUsd" | "gpuMs") =>
	above(rows).reduce((total, row) => total + row[field], 0n);

describe("prepareSpendTable", () => {
	const byTeam = spendOf("team", [
		item("vision", { ownedMicroUsd: 13_480_000_001n, spotMicroUsd: 8_392_410_003n, gpuMs: 8_743n * HOUR }),
		item("", { idleMicroUsd: 7_860_000_007n, idleGpuMs: 3_866n * HOUR }),
		item("risk", { ownedMicroUsd: 11_920_000_000n, onDemandMicroUsd: 5_377_480_009n, gpuMs: 7_792n * HOUR }),
	]);
	const byProvider = spendOf("provider", [
		item("local", { ownedMicroUsd: 25_400_000_001n, idleMicroUsd: 7_860_000_007n, gpuMs: 100n * HOUR, idleGpuMs: 40n * HOUR }),
		item("aws", { spotMicroUsd: 13_769_890_012n, gpuMs: 90n * HOUR }),
	]);

	it.each([
		["idle time has no group", byTeam, "team" as const],
		["idle time lies within a group", byProvider, "provider" as const],
	])("adds up to the server's totals to the last micro-dollar: %s", (_, spend, by) => {
		const rows = prepareSpendTable(spend, by);
		const total = rows.at(-1);
		expect(total?.kind).toBe("total");
		expect(sum(rows, "totalMicroUsd")).toBe(spend.totals.totalMicroUsd);
		expect(total?.totalMicroUsd).toBe(spend.totals.totalMicroUsd);
		for (const field of ["ownedMicroUsd", "cloudMicroUsd", "gpuMs"] as const) expect(sum(rows, field)).toBe(total?.[field]);
		expect(above(rows).reduce((s, r) => s + r.share, 0)).toBeCloseTo(1);
	});

	it("puts the dearest group first and idle time below the groups, in a row of its own", () => {
		expect(prepareSpendTable(byTeam, "team").map((r) => r.label)).toEqual(["vision", "risk", "Idle, charged to nobody", "All"]);
	});

	it("keeps jobs without a project apart from idle time", () => {
		const rows = prepareSpendTable(spendOf("project", [item("", { ownedMicroUsd: 5n, idleMicroUsd: 9n, gpuMs: HOUR })]), "project");
		expect(rows.map((r) => [r.label, r.totalMicroUsd])).toEqual([
			["No project", 5n],
			["Idle, charged to nobody", 9n],
			["All", 14n],
		]);
	});

	it("is the sum alone when nothing was spent", () =>
		expect(prepareSpendTable(spendOf("team", []), "team").map((r) => r.kind)).toEqual(["total"]));

	it("gives no price for hours that were not used", () => {
		expect(perGpuHour(10n, 0n)).toBeNull();
		expect(prepareSpendTable(byTeam, "team").find((r) => r.kind === "idle")?.microUsdPerGpuHour).toBeNull();
		expect(perGpuHour(7_200_000n, 3n * HOUR)).toBe(2_400_000n);
	});
});

describe("spendCsv", () => {
	it("writes the rows as shown, exact, and parses back to the same sums", () => {
		const rows = prepareSpendTable(
			spendOf("team", [item("a,b", { ownedMicroUsd: 1_000_001n }), item("c", { spotMicroUsd: 2_500_000n })]),
			"team",
		);
		const lines = spendCsv(rows, "team", { fromMs: 0, toMs: 86_400_000 }).trimEnd().split("\r\n");
		expect(lines).toHaveLength(rows.length + 1);
		expect(lines[0]).toContain("Team,Owned USD,Cloud USD,Total USD");
		expect(lines.find((l) => l.startsWith('"a,b"'))).toContain(",1.000001,0.000000,1.000001,");
		expect(lines.at(-1)).toContain("All,1.000001,2.500000,3.500001,");
	});

	it("disarms what a spreadsheet would run", () => {
		const rows = prepareSpendTable(
			spendOf("team", [item("=HYPERLINK(1)", { ownedMicroUsd: 1n }), item("-cmd", { ownedMicroUsd: 1n })]),
			"team",
		);
		const text = spendCsv(rows, "team", { fromMs: 0, toMs: 1 });
		expect(text).toContain("'=HYPERLINK(1)");
		expect(text).toContain("'-cmd");
	});

	it("keeps negative corrections as numbers", () => expect(exactDollars(-1_500_000n)).toBe("-1.500000"));
});
