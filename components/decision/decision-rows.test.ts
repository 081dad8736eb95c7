import { describe, expect, it } from "vitest";
import type { CandidateView } from "#components/trpc/outputs.ts";
import { REMOVAL_CODES } from "#server/domain/decision.ts";
import {
	type Considered,
	comparedWith,
	decidingFact,
	decisionRows,
	isPrepaid,
	lateness,
	REMOVAL_LABELS,
	runAxis,
} from "./decision-rows.ts";

const candidate = (offerId: string | null, some: Partial<CandidateView> = {}): CandidateView =>
	({
		offerId,
		placement: { siteId: "local", poolId: "local", capacityType: offerId === null ? "owned" : "spot", instanceType: offerId },
		outcome: "passes",
		removedBy: null,
		totalMicroUsd: "5",
		scoreMicroUsd: "5",
		start: { p50Ms: 100, p90Ms: 110 },
		finish: { p50Ms: 200, p90Ms: 300 },
		...some,
	}) as CandidateView;
const out = (why: (typeof REMOVAL_CODES)[number]) => ({ outcome: "removed" as const, removedBy: { ruleId: null, why, facts: {} } });
const considered = (candidates: CandidateView[], removed: Considered["removed"] = []): Considered => ({
	candidates,
	removed,
	consideredCount: 9,
});
const ids = (rows: { id: string }[]) => rows.map((r) => r.id);

describe("decisionRows", () => {
	it("lists the selected candidate first, then ranks the rest as the decision did", () => {
		const rows = decisionRows(
			considered([
				candidate("dear", { scoreMicroUsd: "100" }),
				candidate("cheap", { scoreMicroUsd: "20" }),
				candidate("won", { outcome: "chosen", scoreMicroUsd: "9" }),
			]),
		);
		expect(ids(rows.passing)).toEqual(["won", "cheap", "dear"]);
	});

	it("counts hidden eligible candidates and always shows owned", () => {
		const clouds = Array.from({ length: 8 }, (_, i) => candidate(`o${i}`, { scoreMicroUsd: String(i) }));
		const rows = decisionRows(considered([...clouds, candidate(null, { scoreMicroUsd: "900" })]));
		expect(ids(rows.passing)).toEqual(["o0", "o1", "o2", "o3", "o4", "local/local//owned"]);
		expect(rows.morePassing).toBe(9 - 6);
	});

	it("shows one zone per region", () => {
		const zone = (id: string) => candidate(id, { placement: { ...candidate("x").placement, region: "r", zone: id } });
		expect(ids(decisionRows(considered([zone("a"), zone("b")])).passing)).toEqual(["a"]);
	});

	it("shows the cheapest of each exclusion reason with the count", () => {
		const rows = decisionRows(
			considered(
				[],
				[
					{ ruleId: null, why: "hardware_gpus", count: 12, cheapest: candidate("a", { ...out("hardware_gpus"), totalMicroUsd: "30" }) },
					{ ruleId: "r", why: "region_denied", count: 1, cheapest: candidate("b", { ...out("region_denied"), totalMicroUsd: "4" }) },
				],
			),
		);
		expect(rows.removed.map((r) => [r.id, r.alike])).toEqual([
			["b", 0],
			["a", 11],
		]);
		expect(rows.removedCount).toBe(13);
	});

	it("keeps a row for owned even if it can never run there, without times", () => {
		const home = candidate(null, out("hardware_gpus"));
		const rows = decisionRows(
			considered([home], [{ ruleId: null, why: "hardware_gpus", count: 2, cheapest: candidate("a", out("hardware_gpus")) }]),
		);
		expect(rows.removed.map((r) => [r.id, r.timed])).toEqual([
			["local/local//owned", false],
			["a", true],
		]);
	});
});

describe("runAxis", () => {
	const rows = (deadlineMs: number | null) => runAxis(decisionRows(considered([candidate("a")])).passing, deadlineMs);
	it("includes every run and a near deadline", () => {
		expect(rows(null)?.fromMs).toBeLessThan(100);
		expect(rows(null)?.toMs).toBeGreaterThan(300);
		expect(rows(500)?.toMs).toBeGreaterThan(500);
		expect(rows(500)?.deadlineMs).toBe(500);
	});
	it("omits a distant deadline", () => {
		expect(rows(90_000_000)?.toMs).toBeLessThan(5_000);
		expect(rows(90_000_000)?.deadlineMs).toBeNull();
	});
	it("is null when nothing can start", () => expect(runAxis([], 5)).toBeNull());
});

describe("lateness", () => {
	it.each([
		[null, "on_time"],
		[300, "on_time"],
		[299, "at_risk"],
		[199, "late"],
	] as const)("a deadline at %s is %s", (deadline, want) => {
		expect(lateness({ p50Ms: 200, p90Ms: 300 }, deadline)).toBe(want);
	});
});

describe("exclusion codes", () => {
	it("each has a label and names the deciding fact", () => {
		for (const code of REMOVAL_CODES) {
			expect(REMOVAL_LABELS[code]).toMatch(/^[A-Z]/);
			expect(decidingFact(code)).not.toBeUndefined();
		}
	});
});

describe("comparedWith", () => {
	const chosen = candidate("won", { totalMicroUsd: "430", storageMicroUsd: "37" });
	it("compares totals with both disks or neither: 400 without a disk is 7 more expensive than 430 including 37 for the disk", () => {
		expect(comparedWith(candidate("a", { totalMicroUsd: "440", storageMicroUsd: "40" }), chosen)).toMatchObject({
			extraMicroUsd: 10n,
			withoutDisks: false,
		});
		expect(comparedWith(candidate("b", { totalMicroUsd: "400" }), chosen)).toMatchObject({ extraMicroUsd: 7n, withoutDisks: true });
	});
	it("subtracts nothing for owned hardware: its price includes disks", () => {
		expect(comparedWith(candidate(null, { totalMicroUsd: "500" }), chosen)).toMatchObject({ extraMicroUsd: 70n, withoutDisks: false });
	});
});

describe("isPrepaid", () => {
	const placement = { siteId: "aws", capacityType: "reserved" } as CandidateView["placement"];
	it("is true for a reserved machine at $0, not for a rejected price or another capacity type", () => {
		expect(isPrepaid(candidate("r", { placement, hourlyMicroUsd: "0" }))).toBe(true);
		expect(isPrepaid(candidate("r", { placement, hourlyMicroUsd: "0", ...out("burst_not_due") }))).toBe(true);
		expect(isPrepaid(candidate("r", { placement, hourlyMicroUsd: "0", ...out("price_zero") }))).toBe(false);
		expect(isPrepaid(candidate("s", { hourlyMicroUsd: "0" }))).toBe(false);
	});
});
