import { describe, expect, it } from "vitest";
import type { StatementContent, StatementSums } from "#server/domain/statement.ts";
import { differenceDrill, laterDrill, monthBefore, statementDrill, wasteDrill } from "./drill.ts";
import { gpuHours, itemGroups, itemLabel, lineRows, perGpuHour, shortHash } from "./prepare-statement.ts";
import { statementFileHref, statementHref } from "./search-params.ts";

const sums = (effectiveMicroUsd: string, gpuMs = "0"): StatementSums => {
	return { effectiveMicroUsd, billedMicroUsd: "0", listMicroUsd: "0", gpuMs, energyMilliWh: "0", emissionsMilligrams: "0" };
};

/** Only the fields that the tested functions read. */
function someContent(changes: Partial<StatementContent>): StatementContent {
	return {
		...{ month: "2026-11", team: "risk", version: 1, replaces: null, postedUntilMs: 2, charges: 1, zone: "Europe/Berlin" },
		...{ fromMs: Date.UTC(2026, 9, 31, 23), toMs: Date.UTC(2026, 10, 30, 23) },
		...{ totals: sums("30"), previousTotals: sums("12"), sides: [], lines: [], byTeam: [], byProject: [], items: [], topJobs: [] },
		...{ savings: [], waste: [], budgets: [], bills: [] },
		carbon: {
			...{ operationalMilligrams: "0", marketMilligrams: "0", embodiedMilligrams: "0", energyMilliWh: "0", measuredEnergyMilliWh: "0" },
			...{ hourlyGridMilliWh: "0", unknownGpuMs: "0", marketUnknownGpuMs: "0", embodiedUnknownGpuMs: "0" },
		},
		...changes,
	};
}

describe("lineRows", () => {
	const content = someContent({
		lines: [{ key: "spot", sums: sums("30", "7200000"), previous: null }],
		sides: [{ key: "cloud", sums: sums("30"), previous: sums("12") }],
	});
	it("has lines, owned and cloud totals, and the total, each with its change; a new line changed by its full amount", () => {
		expect(lineRows(content).map((r) => [r.label, r.kind, r.microUsd, r.previousMicroUsd, r.changeMicroUsd])).toEqual([
			["Cloud, spot", "line", 30n, 0n, 30n],
			["Cloud total", "side", 30n, 12n, 18n],
			["Total", "total", 30n, 12n, 18n],
		]);
	});
	it("links each amount of both months to its charges by ledger days; zero has no link", () => {
		const november = "/spend/charges?from=2026-11-01&to=2026-11-30&team=risk";
		const october = "/spend/charges?from=2026-10-01&to=2026-10-31&team=risk";
		const closed = "&asOf=2026-11/1/risk";
		expect(lineRows(content).map((r) => [r.href, r.previousHref])).toEqual([
			[`${november}&capacity=spot&kind=compute,boot,staging${closed}`, null],
			[`${november}&capacity=reserved,on_demand,spot${closed}`, `${october}&capacity=reserved,on_demand,spot${closed}`],
			[`${november}${closed}`, `${october}${closed}`],
		]);
	});
	it("has no comparison without charges in the previous month", () => {
		expect(lineRows({ ...content, previousTotals: null }).map((r) => r.changeMicroUsd)).toEqual([null, null, null]);
	});
});

describe("itemGroups", () => {
	const item = { line: "spot", provider: "aws", capacityType: "spot", accelerator: "H100-80GB", sums: sums("6000000", "7200000") } as const;
	const items = [
		{ ...item, project: "fraud" },
		{ ...item, project: "", line: "egress", accelerator: "", sums: sums("5") },
	] as StatementContent["items"];
	const byProject = [
		{ key: "fraud", sums: sums("6000000") },
		{ key: "", sums: sums("5") },
	];
	it("groups a team's items by project, with $6 / 2 h = $3 per hour; egress has no hourly price", () => {
		const groups = itemGroups(someContent({ items, byProject }));
		expect(groups.map((g) => [g.label, g.microUsd, g.items.map((i) => [i.label, i.from, i.perGpuHour])])).toEqual([
			["fraud", 6_000_000n, [["H100-80GB, spot", "aws", 3_000_000n]]],
			["(no project)", 5n, [["spot: transfer out of clouds", "aws", null]]],
		]);
	});
	it("puts the company's items in one unnamed group", () => {
		expect(itemGroups(someContent({ team: "", items })).map((g) => [g.label, g.items.length])).toEqual([[null, 2]]);
		expect(itemGroups(someContent({ team: "" }))).toEqual([]);
	});
	it("labels idle hardware", () =>
		expect(itemLabel({ ...item, project: "", line: "idle", capacityType: "owned" })).toBe("H100-80GB, idle"));
});

describe("charge links", () => {
	const company = someContent({ team: "" });
	it("for the company's adjustments and waste", () => {
		const november = "/spend/charges?from=2026-11-01&to=2026-11-30";
		const [cut, since] = ["asOf=2026-11/1", "since=2026-11/1"];
		const [adjusted] = lineRows({ ...company, lines: [{ key: "adjustment", sums: sums("-5"), previous: null }] });
		expect(adjusted?.href).toBe(`${november}&kind=adjustment&without=idle&${cut}`);
		expect(wasteDrill(company, "interrupted")).toBe(`${november}&lost=cut_short&${cut}`);
		expect(wasteDrill(company, "idle")).toBe(`${november}&class=~&capacity=owned&${cut}`);
		expect(statementDrill(company, { team: [""] }, { of: "carbon" })).toBe(`${november}&team=~&${cut}&of=carbon`);
		expect(wasteDrill({ ...company, version: 0 }, "idle")).toBe(`${november}&class=~&capacity=owned`);
		expect(laterDrill(company, 1)).toBe(`${november}&${since}`);
		const second = { ...company, version: 2 };
		const idle = { section: "line", key: "idle", beforeMicroUsd: "1", afterMicroUsd: "3", deltaMicroUsd: "2" } as const;
		expect(differenceDrill(second, idle)).toBe(`${november}&class=~&capacity=owned&asOf=2026-11/2&${since}`);
		expect(differenceDrill(second, { ...idle, section: "saving" })).toBeNull();
	});
	it("for a team's usage by project; none for other teams", () => {
		const item = { project: "", line: "egress", provider: "aws", capacityType: "spot", accelerator: "", sums: sums("5") } as const;
		const [group] = itemGroups(someContent({ items: [item], byProject: [{ key: "", sums: sums("5") }] }));
		const november = "/spend/charges?from=2026-11-01&to=2026-11-30&team=risk&project=~";
		expect(group?.href).toBe(`${november}&asOf=2026-11/1/risk`);
		expect(group?.items[0]?.href).toBe(`${november}&provider=aws&capacity=spot&gpu=~&kind=egress&without=idle&asOf=2026-11/1/risk`);
		expect(statementDrill(someContent({}), { team: ["nlp"] })).toBeNull();
	});
});

describe("figures", () => {
	it.each([
		["0", null],
		["1", "0.0"],
		["360000", "0.1"],
		["4377600000", "1,216.0"],
	])("formats %s ms of GPU time as %s hours", (ms, text) => expect(gpuHours(ms)).toBe(text));
	it("a credit has no hourly price", () => expect(perGpuHour(sums("-5", "3600000"))).toBeNull());
	it("shortens a hash", () => expect(shortHash("0123456789abcdef".repeat(4))).toBe("01234567 89abcdef"));
	it("the month before January is December", () =>
		expect([monthBefore("2026-01"), monthBefore("2026-12")]).toEqual(["2025-12", "2026-11"]));
});

describe("links", () => {
	it("include team and version only if they differ from the default", () => {
		expect(statementHref("2026-11", "")).toBe("/statements/2026-11");
		expect(statementHref("2026-11", "risk & co", 2)).toBe("/statements/2026-11?team=risk+%26+co&version=2");
		expect(statementFileHref("2026-11", "risk", 1, "pdf")).toBe("/api/statements/2026-11?format=pdf&version=1&team=risk");
	});
});
