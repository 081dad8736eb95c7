import { decisionRows, lateness } from "#components/decision/decision-rows.ts";
import type { CandidateView, QuoteView } from "#components/trpc/outputs.ts";

/** One of the two options of a quote. */
export type Way = {
	kind: "home" | "burst";
	candidate: CandidateView;
	/** Policy status now: `taken` is what happens on submission. */
	status: "taken" | "open" | "removed";
	late: "on_time" | "at_risk" | "late";
	/** Probability of missing the deadline; null without one. */
	deadlineRisk: number | null;
};

/** Why an excluded cloud candidate is shown anyway: it is the best one otherwise. */
const NEAR: readonly string[] = ["burst_not_due", "budget_exceeded", "approval_required", "capacity_backoff"];

/** Owned and burst options with their best candidates; null if none is eligible. */
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
