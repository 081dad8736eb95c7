import { describe, expect, it } from "vitest";
import type { CandidateView } from "#components/trpc/outputs.ts";
import type { Considered } from "../decision/decision-rows.ts";
import { exclusionLink, startNow } from "./start-now.ts";

const candidate = (total: number, some: Partial<CandidateView> = {}): CandidateView =>
	({
		placement: { capacityType: "spot" },
		totalMicroUsd: String(total),
		start: { p50Ms: 60_000, p90Ms: 60_000 },
		outcome: "passes",
		removedBy: null,
		...some,
	}) as CandidateView;
const considered = (candidates: CandidateView[], removed: unknown[] = []) =>
	({ candidates, removed, consideredCount: 9 }) as unknown as Considered;
const group = (why: string, ruleId: string | null, cheapest: CandidateView) => ({ why, ruleId, count: 1, cheapest });

describe("startNow", () => {
	it("is the cheapest eligible cloud candidate that starts soon", () => {
		const home = candidate(1, { placement: { capacityType: "owned" } as CandidateView["placement"] });
		const later = candidate(2, { start: { p50Ms: 3_600_000, p90Ms: 3_600_000 } });
		expect(startNow(considered([home, later, candidate(9), candidate(5)]), 0)?.candidate.totalMicroUsd).toBe("5");
	});

	it("names what excludes it where only a rule or money does", () => {
		const because = { ruleId: "burst-on-wait", why: "burst_not_due", facts: {} } as unknown as CandidateView["removedBy"];
		const ruled = candidate(5, { outcome: "removed", removedBy: because });
		const found = startNow(considered([], [group("hardware_gpus", null, candidate(1)), group("burst_not_due", "burst-on-wait", ruled)]), 0);
		expect(found).toEqual({ candidate: ruled, removedBy: because });
	});

	it("is null where nothing could run it", () =>
		expect(startNow(considered([], [group("hardware_gpus", null, candidate(1))]), 0)).toBeNull());
});

describe("exclusionLink", () => {
	const removed = (why: string, ruleId: string | null, facts = {}) => ({ ruleId, why, facts }) as unknown as CandidateView["removedBy"];

	it("leads to the budget or the rule that excludes the candidate", () => {
		expect(exclusionLink(removed("budget_exceeded", null, { budgetId: "nlp" }))).toEqual({
			label: "Open budget",
			href: "/budgets?budget=nlp",
		});
		expect(exclusionLink(removed("region_denied", "eu-only"))).toEqual({ label: "Open rule", href: "/policies#rule-eu-only" });
		expect(exclusionLink(removed("burst_not_due", null))).toEqual({ label: "Open policy", href: "/policies" });
	});

	it("is null for eligible candidates and for approvals, which the job page shows", () => {
		expect(exclusionLink(null)).toBeNull();
		expect(exclusionLink(removed("approval_required", "large-jobs"))).toBeNull();
	});
});
