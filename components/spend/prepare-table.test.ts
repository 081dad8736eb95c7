import { describe, expect, it } from "vitest";
import { exactDollars } from "#components/csv/csv.ts";
import { spendCsv } from "./export-csv.ts";
import { perGpuHour, prepareSpendTable, type SpendPage, type SpendRow } from "./prepare-table.ts";
import type { SpendBy, SpendView } from "./view.ts";

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
	return { fromMs: 0, toMs: 1, zone: "UTC", groupBy, items, totals };
};

const RANGE = { fromMs: Date.UTC(2026, 10, 1), toMs: Date.UTC(2026, 11, 1) };
const view = (more: Partial<SpendView> = {}): SpendView => ({
	...{ range: "month", dates: null, by: "team", bucket: null, filters: {}, zone: "UTC" },
	...more,
});
const tableOf = (
	groups: SpendPage["groups"],
	by: SpendBy,
	more: { before?: SpendPage["before"]; ledgerStartMs?: number; view?: SpendView } = {},
) =>
	prepareSpendTable(
		{ groups, before: more.before ?? null, ledgerStartMs: more.ledgerStartMs ?? 0 },
		{ view: more.view ?? view({ by }), bucket: "week", range: RANGE },
	);

const above = (rows: readonly SpendRow[]) => rows.filter((r) => r.kind !== "total");
const PARTS = ["owned", "idle", "cloud", "total"] as const;

describe("prepareSpendTable", () => {
	const byTeam = spendOf("team", [
		item("vision", { ownedMicroUsd: 13_480_000_001n, spotMicroUsd: 8_392_410_003n, gpuMs: 8_743n * HOUR }),
		item("risk", { ownedMicroUsd: 11_920_000_000n, onDemandMicroUsd: 5_377_480_009n, gpuMs: 7_792n * HOUR }),
		item("", { idleMicroUsd: 7_860_000_007n, idleGpuMs: 3_866n * HOUR }),
	]);
	const byProvider = spendOf("provider", [
		item("local", { ownedMicroUsd: 25_400_000_001n, idleMicroUsd: 7_860_000_007n, gpuMs: 100n * HOUR, idleGpuMs: 40n * HOUR }),
		item("aws", { spotMicroUsd: 13_769_890_012n, gpuMs: 90n * HOUR }),
	]);

	it.each([
		["idle time has no group", byTeam, "team" as const],
		["idle time lies within a group", byProvider, "provider" as const],
	])("rows and columns add up exactly to the server's totals: %s", (_, spend, by) => {
		const rows = tableOf(spend, by);
		const total = rows.at(-1);
		expect(total?.kind).toBe("total");
		expect(total?.total.microUsd).toBe(spend.totals.totalMicroUsd);
		for (const part of PARTS) expect(above(rows).reduce((sum, row) => sum + row[part].microUsd, 0n)).toBe(total?.[part].microUsd);
		for (const row of rows) expect(row.owned.microUsd + row.idle.microUsd + row.cloud.microUsd).toBe(row.total.microUsd);
		expect(above(rows).reduce((s, r) => s + r.share, 0)).toBeCloseTo(1);
	});

	it("labels idle time alone and combined with ungrouped charges", () => {
		expect(tableOf(byTeam, "team").map((r) => r.label)).toEqual(["vision", "risk", "Idle", "Total"]);
		const mixed = spendOf("project", [item("", { ownedMicroUsd: 5n, idleMicroUsd: 9n, gpuMs: HOUR })]);
		expect(tableOf(mixed, "project")[0]?.label).toBe("Idle or no project");
		expect(tableOf(byProvider, "provider").map((r) => r.label)).toEqual(["This host", "AWS", "Total"]);
	});

	it("links each amount to its charges, and each group to its breakdown", () => {
		const [vision] = tableOf(byTeam, "team", { view: view({ filters: { project: ["seg"] }, range: "last_month" }) });
		expect(vision?.total.href).toBe("/spend/charges?range=last_month&team=vision&project=seg");
		expect(vision?.cloud.href).toBe("/spend/charges?range=last_month&team=vision&project=seg&capacity=reserved,on_demand,spot");
		expect(vision?.idle).toEqual({ microUsd: 0n, href: null });
		expect(vision?.withinHref).toBe("/spend?range=last_month&by=project&team=vision&project=seg");
	});

	it("limits buckets to the range", () => {
		const weeks = spendOf("week", [
			item("2026-10-26", { ownedMicroUsd: 1n, gpuMs: HOUR }),
			item("2026-11-02", { ownedMicroUsd: 2n, gpuMs: HOUR }),
		]);
		expect(tableOf(weeks, "time").map((r) => [r.label, r.total.href])).toEqual([
			["Week of 26 Oct", "/spend/charges?from=2026-11-01&to=2026-11-01"],
			["Week of 2 Nov", "/spend/charges?from=2026-11-02&to=2026-11-08"],
			["Total", "/spend/charges"],
		]);
	});

	it("compares with the previous range: 12 against 10 is +20%; unknown before the ledger's start", () => {
		const now = spendOf("team", [item("a", { ownedMicroUsd: 12n }), item("b", { ownedMicroUsd: 3n })]);
		const before = spendOf("team", [item("a", { ownedMicroUsd: 10n })]);
		expect(tableOf(now, "team", { before }).map((r) => r.change)).toEqual([0.2, null, 0.5]);
		expect(tableOf(now, "team", { before, ledgerStartMs: 1 }).map((r) => r.change)).toEqual([null, null, null]);
	});

	it("shows only the total without spend", () => expect(tableOf(spendOf("team", []), "team").map((r) => r.kind)).toEqual(["total"]));

	it("has no price for unused hours", () => {
		expect(perGpuHour(10n, 0n)).toBeNull();
		expect(tableOf(byTeam, "team").find((r) => r.id === "group:")?.microUsdPerGpuHour).toBeNull();
		expect(perGpuHour(7_200_000n, 3n * HOUR)).toBe(2_400_000n);
	});
});

describe("spendCsv", () => {
	it("writes the rows as shown, exactly, and parses back to the same sums", () => {
		const rows = tableOf(spendOf("team", [item("a,b", { ownedMicroUsd: 1_000_001n }), item("c", { spotMicroUsd: 2_500_000n })]), "team");
		const lines = spendCsv(rows, "Team", { fromMs: 0, toMs: 86_400_000 }).trimEnd().split("\r\n");
		expect(lines).toHaveLength(rows.length + 1);
		expect(lines[0]).toContain("Team,Owned used USD,Owned idle USD,Cloud USD,Total USD");
		expect(lines.find((l) => l.startsWith('"a,b"'))).toContain(",1.000001,0.000000,0.000000,1.000001,");
		expect(lines.at(-1)).toContain("Total,1.000001,0.000000,2.500000,3.500001,");
	});

	it("escapes formulas", () => {
		const rows = tableOf(spendOf("team", [item("=HYPERLINK(1)", { ownedMicroUsd: 1n }), item("-cmd", { ownedMicroUsd: 1n })]), "team");
		const text = spendCsv(rows, "Team", { fromMs: 0, toMs: 1 });
		expect(text).toContain("'=HYPERLINK(1)");
		expect(text).toContain("'-cmd");
	});

	it("keeps negative corrections numeric", () => expect(exactDollars(-1_500_000n)).toBe("-1.500000"));
});
