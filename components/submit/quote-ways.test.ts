import { describe, expect, it } from "vitest";
import type { QuotedCandidateView, QuoteView } from "#components/trpc/outputs.ts";
import { waysOf } from "./quote-ways.ts";

const candidate = (capacityType: "owned" | "spot", some: Partial<QuotedCandidateView> = {}): QuotedCandidateView =>
	({
		offerId: capacityType === "owned" ? null : `offer-${some.scoreMicroUsd ?? "1"}`,
		placement: { siteId: capacityType, capacityType, instanceType: some.scoreMicroUsd ?? null },
		outcome: "passes",
		removedBy: null,
		totalMicroUsd: "1",
		scoreMicroUsd: "1",
		start: { p50Ms: 0, p90Ms: 0 },
		finish: { p50Ms: 100, p90Ms: 200 },
		deadlineRisk: null,
		...some,
	}) as QuotedCandidateView;
const quote = (outcome: QuoteView["outcome"], candidates: QuotedCandidateView[], removed: QuoteView["removed"] = []): QuoteView =>
	({ outcome, candidates, removed, consideredCount: 9 }) as unknown as QuoteView;
const gone = (why: "burst_not_due" | "site_denied") => ({ outcome: "removed" as const, removedBy: { ruleId: null, why, facts: {} } });

describe("waysOf", () => {
	it("compares the best offer with owned", () => {
		const ways = waysOf(quote("launch", [candidate("owned", { deadlineRisk: 0.4 }), candidate("spot", { outcome: "chosen" })]), 150);
		expect([ways.home?.deadlineRisk, ways.burst?.deadlineRisk]).toEqual([0.4, null]);
		expect([ways.home?.status, ways.burst?.status]).toEqual(["open", "taken"]);
		expect(ways.home?.late).toBe("at_risk");
	});

	it("selects owned while queued, and shows the burst that is not triggered yet", () => {
		const removed = [{ ruleId: null, why: "burst_not_due" as const, count: 5, cheapest: candidate("spot", gone("burst_not_due")) }];
		const ways = waysOf(quote("wait", [candidate("owned")], removed), null);
		expect([ways.home?.status, ways.burst?.status]).toEqual(["taken", "removed"]);
	});

	it("has no burst if a rule excludes every cloud, and no owned option without suitable hardware", () => {
		const removed = [{ ruleId: "r", why: "site_denied" as const, count: 5, cheapest: candidate("spot", gone("site_denied")) }];
		expect(waysOf(quote("wait", [candidate("owned")], removed), null).burst).toBeNull();
		const tooBig = { ruleId: null, why: "hardware_gpus" as const, facts: {} };
		expect(waysOf(quote("launch", [candidate("owned", { outcome: "removed", removedBy: tooBig })]), null).home).toBeNull();
	});
});
