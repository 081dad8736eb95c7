import type { RunAxis } from "#components/charts/run-bar.tsx";
import type { CandidateView, DecisionView, QuoteView } from "#components/trpc/outputs.ts";
import type { RemovalCode } from "#server/domain/decision.ts";

/** What a decision and a quote have in common. */
export type Considered = Pick<DecisionView | QuoteView, "candidates" | "removed" | "consideredCount">;

export type CandidateRow = {
	id: string;
	candidate: CandidateView;
	/** How many more were removed for the same cause, and are dearer than this one. */
	alike: number;
	/** False for what can never start there: then its times and amounts say nothing. */
	timed: boolean;
};
export type DecisionRows = {
	/** The chosen one first, then by what the choice is made by. */
	passing: CandidateRow[];
	/** The cheapest of each cause, cheapest first. */
	removed: CandidateRow[];
	/** Places that pass and are left out: they weigh more, or say the same. */
	morePassing: number;
	removedCount: number;
};

const PASSING_SHOWN = 5;
const OUTCOMES = { chosen: 0, passes: 1, removed: 2 } as const;

/** Facts that do not go away by waiting: its start is then no forecast but a placeholder. */
const NEVER: ReadonlySet<RemovalCode> = new Set([
	"hardware_gpus",
	"hardware_accelerator",
	"hardware_cpus",
	"hardware_memory",
	"multi_node_unsupported",
	"site_unreachable",
]);

const idOf = (c: CandidateView): string =>
	c.offerId ?? `${c.placement.siteId}/${c.placement.poolId ?? ""}/${c.placement.instanceType ?? ""}/${c.placement.capacityType}`;

/** Zones of a region, and the like, whose lines would say the same: the first stands for them. */
const alike = (c: CandidateView): string =>
	[c.placement.siteId, c.placement.region, c.placement.poolId, c.placement.instanceType, c.placement.capacityType].join("/");

export function decisionRows({ candidates, removed, consideredCount }: Considered): DecisionRows {
	const row = (candidate: CandidateView, more = 0): CandidateRow => ({
		id: idOf(candidate),
		candidate,
		alike: more,
		timed: candidate.placement.capacityType !== "owned" || candidate.removedBy === null || !NEVER.has(candidate.removedBy.why),
	});
	const passing = candidates
		.filter((c) => c.outcome !== "removed")
		.toSorted((a, b) => OUTCOMES[a.outcome] - OUTCOMES[b.outcome] || Number(BigInt(a.scoreMicroUsd) - BigInt(b.scoreMicroUsd)));
	const distinct = passing.filter((c, i) => passing.findIndex((other) => alike(other) === alike(c)) === i);
	// Home is what every other place is compared with.
	const best = distinct.filter((c, i) => i < PASSING_SHOWN || c.placement.capacityType === "owned");
	const removedCount = removed.reduce((sum, group) => sum + group.count, 0);
	const shown = new Set<string>();
	const groups = removed.flatMap((group) => {
		const id = `${group.why}/${group.ruleId ?? ""}`;
		if (shown.has(id)) return [];
		shown.add(id);
		return [
			row(
				{ ...group.cheapest, removedBy: group.cheapest.removedBy ?? { ruleId: group.ruleId, why: group.why, facts: {} } },
				group.count - 1,
			),
		];
	});
	// Home is worth its own line, even when a cloud stands for its cause.
	const home = candidates.filter((c) => c.outcome === "removed" && c.placement.capacityType === "owned");
	const extra = home.filter((c) => !groups.some((g) => g.id === idOf(c))).map((c) => row(c));
	return {
		passing: best.map((c) => row(c)),
		removed: [...extra, ...groups].toSorted((a, b) => Number(BigInt(a.candidate.totalMicroUsd) - BigInt(b.candidate.totalMicroUsd))),
		morePassing: Math.max(0, consideredCount - removedCount - best.length),
		removedCount,
	};
}

/** From the first start to the last finish of what is shown, with the deadline on it unless it is far away. */
export function runAxis(rows: readonly CandidateRow[], deadlineMs: number | null): RunAxis | null {
	const timed = rows.filter((row) => row.timed).map((row) => row.candidate);
	if (timed.length === 0) return null;
	const from = Math.min(...timed.map((c) => c.start.p50Ms));
	const ends = timed.map((c) => c.finish.p90Ms).sort((a, b) => a - b);
	const last = ends.at(-1) ?? from;
	const near = deadlineMs !== null && deadlineMs > from && deadlineMs - from < 2.5 * (last - from);
	const to = Math.max(last, near ? deadlineMs : 0);
	const pad = Math.max(1_000, (to - from) * 0.02);
	return { fromMs: from - pad, toMs: to + 2 * pad, deadlineMs: near ? deadlineMs : null };
}

/** What removed it, in a word or two, for the beginning of its line. */
export const REMOVAL_LABELS: Record<RemovalCode, string> = {
	site_denied: "Site",
	site_not_allowed: "Site",
	region_denied: "Region",
	region_not_allowed: "Region",
	family_denied: "Instance family",
	family_not_allowed: "Instance family",
	capacity_type_denied: "Capacity type",
	capacity_type_required: "Capacity type",
	residency: "Data residency",
	data_at_home: "Data at home",
	hardware_gpus: "Hardware",
	hardware_accelerator: "Hardware",
	hardware_cpus: "Hardware",
	hardware_memory: "Hardware",
	price_missing: "Price",
	price_zero: "Price",
	price_stale: "Price",
	spot_not_cheaper: "Price",
	capacity_backoff: "Cool-down",
	burst_not_due: "No burst yet",
	budget_exceeded: "Budget",
	approval_required: "Approval",
	no_free_slots: "Availability",
	site_unreachable: "Unreachable",
	multi_node_unsupported: "Hardware",
	reserved_full: "Reserved",
	reserved_too_short: "Reserved",
	quota_exceeded: "Quota",
	cap_exceeded: "Cap",
	burst_cost_limit: "Cost",
	burst_data_limit: "Data to copy",
	deadline_needs_firm: "Deadline",
	spot_is_cheapest: "Spot is cheaper",
	spot_too_short: "Spot too short",
	spot_worth_the_wait: "Waits for spot",
};

/** Which fact of a line is the one that removed it, to be set in bold. */
export function decidingFact(why: RemovalCode): "place" | "machine" | "price" | "start" | "total" | null {
	switch (why) {
		case "site_denied":
		case "site_not_allowed":
		case "region_denied":
		case "region_not_allowed":
		case "residency":
		case "data_at_home":
		case "site_unreachable":
			return "place";
		case "family_denied":
		case "family_not_allowed":
		case "capacity_type_denied":
		case "capacity_type_required":
		case "hardware_gpus":
		case "hardware_accelerator":
		case "hardware_cpus":
		case "hardware_memory":
		case "multi_node_unsupported":
			return "machine";
		case "price_missing":
		case "price_zero":
		case "price_stale":
		case "spot_not_cheaper":
			return "price";
		case "no_free_slots":
		case "capacity_backoff":
		case "reserved_full":
		case "quota_exceeded":
			return "start";
		case "budget_exceeded":
		case "approval_required":
		case "cap_exceeded":
		case "burst_cost_limit":
		case "spot_is_cheapest":
		case "spot_worth_the_wait":
			return "total";
		case "reserved_too_short":
		case "burst_data_limit":
		case "deadline_needs_firm":
		case "spot_too_short":
		case "burst_not_due":
			return null;
	}
}

/** What was bought ahead adds nothing by being used: a price of $0 that is neither missing nor wrong. */
export function isPrepaid({
	placement,
	hourlyMicroUsd,
	removedBy,
}: Pick<CandidateView, "placement" | "hourlyMicroUsd" | "removedBy">): boolean {
	const doubted = removedBy !== null && decidingFact(removedBy.why) === "price";
	return placement.capacityType === "reserved" && hourlyMicroUsd === "0" && !doubted;
}

/**
 * How a candidate that passes compares with the chosen one. Positive: dearer, later. Where the disk of only one machine has a known
 * price, both are compared without their disks: the other would look cheaper for what is merely not known of it.
 */
export function comparedWith(
	candidate: CandidateView,
	chosen: CandidateView,
): { dearerMicroUsd: bigint; laterMs: number; withoutDisks: boolean } {
	const ofCloud = [candidate, chosen].every((c) => c.placement.capacityType !== "owned");
	const withoutDisks = ofCloud && (candidate.storageMicroUsd === undefined) !== (chosen.storageMicroUsd === undefined);
	const total = (c: CandidateView) => BigInt(c.totalMicroUsd) - (withoutDisks ? BigInt(c.storageMicroUsd ?? 0) : 0n);
	return { dearerMicroUsd: total(candidate) - total(chosen), laterMs: candidate.finish.p50Ms - chosen.finish.p50Ms, withoutDisks };
}

/** The share of finishes after the deadline lies under 1 in 2, over 1 in 10, or elsewhere; the forecast says no more than that. */
export function lateness(range: { p50Ms: number; p90Ms: number }, deadlineMs: number | null): "on_time" | "at_risk" | "late" {
	if (deadlineMs === null || range.p90Ms <= deadlineMs) return "on_time";
	return range.p50Ms <= deadlineMs ? "at_risk" : "late";
}
