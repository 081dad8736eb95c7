import { budgetsHref } from "#components/budgets/params.ts";
import { policiesHref, ruleAnchor } from "#components/policies/params.ts";
import type { CandidateView } from "#components/trpc/outputs.ts";
import type { RemovalCode } from "#server/domain/decision.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import type { Considered } from "../decision/decision-rows.ts";

/** The cheapest candidate that could start without waiting for others, and what keeps the job from it. */
export type StartNow = { candidate: CandidateView; removedBy: CandidateView["removedBy"] };

/** Booting a machine and staging data still count as now. */
const SOON_MS = 15 * MINUTE_MS;
/** Exclusions that time, money or people lift. Others, such as the wrong hardware, are permanent. */
const LIFTED: ReadonlySet<RemovalCode> = new Set([
	"burst_not_due",
	"budget_exceeded",
	"approval_required",
	"cap_exceeded",
	"burst_cost_limit",
]);

/** Prefers eligible candidates, then those that only a rule, a budget or an approval excludes. */
export function startNow(considered: Considered, nowMs: number): StartNow | null {
	const eligible = considered.candidates.filter((c) => c.outcome === "passes" && isSoon(c, nowMs));
	const cheapest = cheapestOf(eligible);
	if (cheapest) return { candidate: cheapest, removedBy: null };
	const ruledOut = considered.removed
		.filter((group) => group.ruleId !== null || LIFTED.has(group.why))
		.map((group) => group.cheapest)
		.filter((c) => isSoon(c, nowMs));
	const other = cheapestOf(ruledOut);
	return other ? { candidate: other, removedBy: other.removedBy } : null;
}

/** The screen on which someone can lift the exclusion; null where this page already offers it, or nothing is excluded. */
export function exclusionLink(removedBy: StartNow["removedBy"]): { label: string; href: string } | null {
	if (removedBy === null || removedBy.why === "approval_required") return null;
	const { ruleId, why, facts } = removedBy;
	if (why === "budget_exceeded" && typeof facts["budgetId"] === "string")
		return { label: "Open budget", href: budgetsHref({ budget: facts["budgetId"] }) };
	return {
		label: ruleId === null ? "Open policy" : "Open rule",
		href: policiesHref({}) + (ruleId === null ? "" : `#${ruleAnchor(ruleId)}`),
	};
}

const isSoon = (c: CandidateView, nowMs: number) =>
	c.placement.capacityType !== "owned" && BigInt(c.totalMicroUsd) > 0n && c.start.p50Ms - nowMs <= SOON_MS;

function cheapestOf(candidates: readonly CandidateView[]): CandidateView | null {
	return candidates.reduce<CandidateView | null>(
		(best, c) => (best === null || BigInt(c.totalMicroUsd) < BigInt(best.totalMicroUsd) ? c : best),
		null,
	);
}
