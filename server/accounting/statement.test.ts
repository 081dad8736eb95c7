import { describe, expect, it } from "vitest";
import type { StatementContent } from "#server/domain/statement.ts";
import { partialMonthLabels } from "#server/domain/statement-words.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { NO_SUMS } from "./rollup.ts";
import { buildStatement } from "./statement.ts";
import { checkStatement } from "./statement-checks.ts";
import { diffStatements, isEquivalent } from "./statement-diff.ts";
import type { MonthFacts, MonthRow } from "./statement-facts.ts";
import { canonicalJson } from "./statement-json.ts";
import type { VarianceCell } from "./variance.ts";

const hours = (n: number): bigint => BigInt(n * HOUR_MS);

function aRow(changes: Partial<MonthRow> = {}): MonthRow {
	return {
		...NO_SUMS,
		...{ month: "this", team: "risk", project: "fraud", provider: "local", capacityType: "owned", accelerator: "H100-80GB" },
		...{ kind: "compute", idle: false, charges: 1 },
		...changes,
	};
}

function someFacts(changes: Partial<MonthFacts> = {}): MonthFacts {
	const rows = changes.rows ?? [];
	return {
		...{ projectRows: rows, itemRows: rows },
		...{ month: "2026-11", fromMs: Date.UTC(2026, 10), toMs: Date.UTC(2026, 11), zone: "UTC", postedUntilMs: Date.UTC(2026, 11, 3) },
		...{ rows: [], topJobs: new Map(), waste: [], burst: [], cheapest: [], budgets: [], bills: new Map() },
		...changes,
	};
}

const company = { team: "", version: 1, replaces: null };
const risk = { ...company, team: "risk" };
const saving = (content: StatementContent, key: string) => content.savings.find((s) => s.key === key);

describe("home compared with the cloud", () => {
	const rows = [
		aRow({ gpuMs: hours(100), effectiveMicroUsd: 200_000_000n }),
		aRow({ team: "", project: "", idle: true, kind: "idle", gpuMs: hours(20), effectiveMicroUsd: 40_000_000n }),
	];
	const cheapest = [{ accelerator: "H100-80GB", microUsdPerHour: 24_000_000n, gpus: 8, offer: "aws p5.48xlarge, spot, us-east-2" }];

	it("company: 100 h × $24/8 = $300 in the cloud − ($200 used + $40 idle) = $60", () => {
		const { microUsd, reckoned } = saving(buildStatement(someFacts({ rows, cheapest }), company), "home_against_cloud") ?? {};
		expect(microUsd).toBe("60000000");
		expect(reckoned).toContain("H100-80GB at $3.0000 a GPU-hour (aws p5.48xlarge, spot, us-east-2)");
		expect(reckoned).toContain("idle time included");
	});

	it("team: $300 − $200 = $100, because idle hardware does not belong to the team", () => {
		expect(saving(buildStatement(someFacts({ rows, cheapest }), risk), "home_against_cloud")?.microUsd).toBe("100000000");
	});

	it("names the missing price instead of computing with some of the hours", () => {
		const more = [...rows, aRow({ accelerator: "B200-180GB", gpuMs: hours(1), effectiveMicroUsd: 9n })];
		const { microUsd, reckoned } = saving(buildStatement(someFacts({ rows: more, cheapest }), company), "home_against_cloud") ?? {};
		expect(microUsd).toBeNull();
		expect(reckoned).toContain("no price of B200-180GB");
	});
});

describe("bursting compared with waiting", () => {
	const burst = [
		{ team: "risk", jobs: 3, withoutHome: 1, savedMs: 7.5 * HOUR_MS },
		{ team: "nlp", jobs: 1, withoutHome: 0, savedMs: -0.5 * HOUR_MS },
	];
	it("7.5 h − 0.5 h = 7.0 h for 3 jobs with a forecast at home; a fourth had none", () => {
		const { hours: saved, microUsd, reckoned } = saving(buildStatement(someFacts({ burst }), company), "burst_against_waiting") ?? {};
		expect([saved, microUsd]).toEqual(["7.0", null]);
		expect(reckoned).toContain("for 3 jobs");
		expect(reckoned).toContain("1 more could never have started at home");
	});
	it("a team counts only its own jobs: 7.5 h for 2", () =>
		expect(saving(buildStatement(someFacts({ burst }), risk), "burst_against_waiting")).toMatchObject({ hours: "7.5", microUsd: null }));
	it("is null without any jobs, not 0 hours", () =>
		expect(saving(buildStatement(someFacts(), company), "burst_against_waiting")?.hours).toBeNull());
});

describe("lines", () => {
	const rows = [
		aRow({ effectiveMicroUsd: 10n }),
		aRow({ idle: true, kind: "adjustment", team: "", project: "", effectiveMicroUsd: 3n }),
		aRow({ provider: "aws", capacityType: "spot", kind: "boot", effectiveMicroUsd: 5n }),
		aRow({ provider: "aws", capacityType: "spot", kind: "egress", effectiveMicroUsd: 2n, accelerator: "" }),
		aRow({ provider: "aws", capacityType: "on_demand", kind: "credit", team: "", project: "", effectiveMicroUsd: -4n }),
		aRow({ month: "previous", provider: "aws", capacityType: "reserved", effectiveMicroUsd: 7n }),
	];
	const content = buildStatement(someFacts({ rows }), company);

	it("idle 3 (with its correction), owned 10, spot 5, egress 2, credit −4: 16, and 7 in the previous month", () => {
		expect(content.lines.map((l) => [l.key, l.sums.effectiveMicroUsd, l.previous?.effectiveMicroUsd ?? null])).toEqual([
			["owned", "10", null],
			["idle", "3", null],
			["spot", "5", null],
			["reserved", "0", "7"],
			["egress", "2", null],
			["credit", "-4", null],
		]);
		expect([content.totals.effectiveMicroUsd, content.previousTotals?.effectiveMicroUsd]).toEqual(["16", "7"]);
		expect(content.charges).toBe(5);
	});

	it("add up, and the check detects the missing 17 of risk (10 + 5 + 2)", () => {
		expect(checkStatement(content).map((c) => c.ok)).toEqual([true, true, true, null]);
		const wrong = { ...content, byTeam: content.byTeam.slice(1) };
		expect(checkStatement(wrong).find((c) => c.key === "teams_add_up")).toEqual({ key: "teams_add_up", ok: false, offMicroUsd: "-17" });
	});

	it("an unexplained bill is detected, even when two cancel each other out", () => {
		const bill = {
			provider: "aws",
			resources: 1,
			unknown: 0,
			estimatedMicroUsd: "0",
			billedMicroUsd: "5",
			adjustedMicroUsd: "0",
			note: null,
		};
		const bills = [
			{ ...bill, unexplainedMicroUsd: "5" },
			{ ...bill, provider: "gcp", unexplainedMicroUsd: "-5" },
		];
		expect(checkStatement({ ...content, bills }).at(-1)).toEqual({ key: "bills_explained", ok: false, offMicroUsd: "10" });
	});
});

describe("the signed bytes", () => {
	it("do not depend on the order of facts or keys", () => {
		const rows = [
			aRow({ effectiveMicroUsd: 5n }),
			aRow({ team: "nlp", effectiveMicroUsd: 5n }),
			aRow({ project: "", effectiveMicroUsd: 1n }),
		];
		const one = buildStatement(someFacts({ rows }), company);
		const other = buildStatement(someFacts({ rows: rows.toReversed() }), company);
		expect(canonicalJson(other)).toBe(canonicalJson(one));
		expect(canonicalJson({ b: [1, { d: null, c: "é" }], a: "x" })).toBe('{"a":"x","b":[1,{"c":"é","d":null}]}');
	});

	it("are the same in another version at another time, and differ with another note", () => {
		const content = buildStatement(someFacts({ rows: [aRow({ effectiveMicroUsd: 5n })] }), company);
		expect(isEquivalent(content, { ...content, version: 2, replaces: "aa", postedUntilMs: 1, postedUntilNumber: 9 })).toBe(true);
		expect(isEquivalent(content, { ...content, charges: 2 })).toBe(false);
	});
});

describe("differences", () => {
	it("fraud 5 → 0 and claims 0 → 7: two projects, one line +2, the total +2", () => {
		const before = buildStatement(someFacts({ rows: [aRow({ effectiveMicroUsd: 5n })] }), company);
		const after = buildStatement(someFacts({ rows: [aRow({ project: "claims", effectiveMicroUsd: 7n })] }), company);
		expect(diffStatements(before, after).map((d) => [d.section, d.key, d.beforeMicroUsd, d.afterMicroUsd, d.deltaMicroUsd])).toEqual([
			["line", "owned", "5", "7", "2"],
			["team", "risk", "5", "7", "2"],
			["project", "fraud", "5", null, "-5"],
			["project", "claims", null, "7", "7"],
			["total", "total", "5", "7", "2"],
		]);
		expect(diffStatements(before, before)).toEqual([]);
	});
});

describe("incomplete months in the ledger", () => {
	const built = (ledgerFromMs?: number) =>
		buildStatement(someFacts({ rows: [aRow()], ...(ledgerFromMs === undefined ? {} : { ledgerFromMs }) }), company);
	it.each([
		["whole", undefined, { month: null, before: null }],
		["started in the previous month", Date.UTC(2026, 9, 24), { month: null, before: "24–31 Oct only, not comparable" }],
		["started at the start of the month", Date.UTC(2026, 10, 1), { month: null, before: null }],
		["started within the month", Date.UTC(2026, 10, 5), { month: "from 5 Nov only", before: null }],
	])("%s", (_, ledgerFromMs, words) => expect(partialMonthLabels(built(ledgerFromMs))).toEqual(words));

	it("counts the days in the ledger's zone", () => {
		const content = { ...built(Date.UTC(2026, 9, 23, 22)), fromMs: Date.UTC(2026, 9, 31, 23), zone: "Europe/Berlin" };
		expect(partialMonthLabels(content).before).toBe("24–31 Oct only, not comparable");
	});

	it("do not make a version differ", () => expect(isEquivalent(built(), built(Date.UTC(2026, 9, 24)))).toBe(true));
});

describe("the change against the month before", () => {
	const cell = (changes: Partial<VarianceCell>): VarianceCell => ({
		...{ team: "risk", project: "fraud", siteId: "aws", region: "us-east-1", capacityType: "spot", accelerator: "H100-80GB" },
		...{ kind: "compute", idle: false, gpuMs: hours(10), amount: 30_000_000n, lostGpuMs: 0n, lostAmount: 0n },
		...changes,
	});
	const varianceCells = {
		before: [cell({}), cell({ team: "nlp", amount: 5_000_000n })],
		after: [cell({ gpuMs: hours(20), amount: 70_000_000n }), cell({ team: "", project: "", idle: true, kind: "idle", amount: 1n })],
	};
	const rows = [aRow(), aRow({ month: "previous" })];

	it.each([company, risk])("is explained by causes that add up, for the company and for a team", (at) => {
		const { variance } = buildStatement(someFacts({ rows, varianceCells }), at);
		const sum = variance?.causes.reduce((total, { microUsd }) => total + BigInt(microUsd), 0n);
		expect(sum).toBe(BigInt(variance?.afterMicroUsd ?? 0) - BigInt(variance?.beforeMicroUsd ?? 0));
		expect(variance?.afterMicroUsd).toBe(at.team === "" ? "70000001" : "70000000");
	});

	it("is left out when the previous month is incomplete", () =>
		expect(buildStatement(someFacts({ rows, varianceCells, ledgerFromMs: Date.UTC(2026, 9, 24) }), company).variance).toBeUndefined());
});
