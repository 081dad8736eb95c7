import { decisionRows, lateness } from "#components/job/decision-rows.ts";
import type { CandidateView, QuoteView } from "#components/trpc/outputs.ts";

/** One of the two ways that a quote sets beside each other. */
export type Way = {
	kind: "home" | "burst";
	candidate: CandidateView;
	/** What the policy or the facts do now: `taken` is what would happen on submitting. */
	status: "taken" | "open" | "removed";
	late: "on_time" | "at_risk" | "late";
	/** The chance that the deadline is missed that way; null without one. */
	deadlineRisk: number | null;
};

/** Why a cloud candidate that was removed is still the one to show: it would be the answer if this were otherwise. */
const NEAR: readonly string[] = ["burst_not_due", "budget_exceeded", "approval_required", "capacity_backoff"];

/** Waiting at home and bursting now, each with its best candidate; null for a way that no place is open to. */
export function waysOf(quote: QuoteView, deadlineMs: number | null): { home: Way | null; burst: Way | null } {
	const rows = decisionRows(quote);
	const all = [...rows.passing, ...rows.removed];
	const home = all.find((r) => r.candidate.placement.capacityType === "owned" && r.timed && r.candidate.outcome !== "removed");
	const clouds = all.filter((r) => r.candidate.placement.capacityType !== "owned").map((r) => r.candidate);
	const burst =
		clouds.find((c) => c.outcome === "chosen") ??
		clouds.find((c) => c.outcome === "passes") ??
		clouds.find((c) => c.removedBy !== null && NEAR.includes(c.removedBy.why)) ??
		null;
	const way = (kind: Way["kind"], candidate: CandidateView): Way => ({
		kind,
		candidate,
		status: statusOf(quote, candidate),
		late: lateness(candidate.finish, deadlineMs),
		deadlineRisk: riskAt(quote, candidate),
	});
	return { home: home ? way("home", home.candidate) : null, burst: burst ? way("burst", burst) : null };
}

function riskAt({ candidates, removed }: QuoteView, { offerId, placement }: CandidateView): number | null {
	const same = (c: CandidateView): boolean => c.offerId === offerId && c.placement.poolId === placement.poolId;
	return (candidates.find(same) ?? removed.find((group) => same(group.cheapest))?.cheapest)?.deadlineRisk ?? null;
}

function statusOf(quote: QuoteView, candidate: CandidateView): Way["status"] {
	if (candidate.outcome === "removed") return "removed";
	const owned = candidate.placement.capacityType === "owned";
	const taken = candidate.outcome === "chosen" || (owned && quote.outcome === "wait");
	return taken ? "taken" : "open";
}

export type Headline = "start_now" | "wait" | "burst" | "hold" | "fail";

export function headlineOf(quote: Pick<QuoteView, "outcome">): Headline {
	switch (quote.outcome) {
		case "place_home":
			return "start_now";
		case "launch":
			return "burst";
		case "wait":
			return "wait";
		case "hold":
			return "hold";
		case "fail":
			return "fail";
	}
}
