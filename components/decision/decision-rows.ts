import type { RunAxis } from "#components/charts/run-bar.tsx";
import type { CandidateView, DecisionView, QuoteView } from "#components/trpc/outputs.ts";
import type { RemovalCode } from "#server/domain/decision.ts";

/** The fields shared by a decision and a quote. */
export type Considered = Pick<DecisionView | QuoteView, "candidates" | "removed" | "consideredCount">;

export type CandidateRow = {
	id: string;
	candidate: CandidateView;
	/** Number of more expensive candidates excluded for the same reason. */
	alike: number;
	/** False if it can never start there; times and amounts are then meaningless. */
	timed: boolean;
};
export type DecisionRows = {
	/** The selected candidate first, then by rank. */
	passing: CandidateRow[];
	/** The cheapest of each exclusion reason, cheapest first. */
	removed: CandidateRow[];
	/** Eligible candidates not shown: ranked lower or equivalent. */
	morePassing: number;
	removedCount: number;
};

const PASSING_SHOWN = 5;
const OUTCOMES = { chosen: 0, passes: 1, removed: 2 } as const;

/** Permanent exclusions: the start time is a placeholder, not a forecast. */
const NEVER: ReadonlySet<RemovalCode> = new Set([
	"hardware_gpus",
	"hardware_accelerator",
	"hardware_cpus",
	"hardware_memory",
	"hardware_gpu_memory",
	"hardware_bf16",
	"hardware_interconnect",
	"hardware_slice",
	"mount_missing",
	"multi_node_unsupported",
	"site_unreachable",
]);

const idOf = (c: CandidateView): string =>
	c.offerId ?? `${c.placement.siteId}/${c.placement.poolId ?? ""}/${c.placement.instanceType ?? ""}/${c.placement.capacityType}`;

/** Groups equivalent candidates, such as zones of a region; the first represents the group. */
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
	// Owned is the baseline of every comparison.
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
	// Owned gets its own row even if a cloud represents its exclusion reason.
	const home = candidates.filter((c) => c.outcome === "removed" && c.placement.capacityType === "owned");
	const extra = home.filter((c) => !groups.some((g) => g.id === idOf(c))).map((c) => row(c));
	return {
		passing: best.map((c) => row(c)),
		removed: [...extra, ...groups].toSorted((a, b) => Number(BigInt(a.candidate.totalMicroUsd) - BigInt(b.candidate.totalMicroUsd))),
		morePassing: Math.max(0, consideredCount - removedCount - best.length),
		removedCount,
	};
}

/** From the earliest start to the latest finish shown, including the deadline unless it is distant. */
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

/** Short exclusion labels, shown at the start of a row. */
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
	data_at_home: "Data must stay",
	mount_missing: "Mount",
	hardware_gpus: "Hardware",
	hardware_accelerator: "Hardware",
	hardware_cpus: "Hardware",
	hardware_memory: "Hardware",
	hardware_gpu_memory: "Hardware",
	hardware_bf16: "Hardware",
	hardware_interconnect: "Interconnect",
	hardware_slice: "TPU slice",
	too_slow: "Too slow",
	life_too_short: "Instance life",
	data_too_slow: "Data",
	price_missing: "Price",
	price_zero: "Price",
	price_stale: "Price",
	spot_not_cheaper: "Price",
	capacity_backoff: "Cool-down",
	burst_not_due: "Too early to burst",
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
	spot_worth_the_wait: "Waiting for spot",
};

/** The value that caused the exclusion, shown in bold. */
export function decidingFact(why: RemovalCode): "place" | "machine" | "price" | "start" | "total" | null {
	switch (why) {
		case "site_denied":
		case "site_not_allowed":
		case "region_denied":
		case "region_not_allowed":
		case "residency":
		case "data_at_home":
		case "mount_missing":
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
		case "hardware_gpu_memory":
		case "hardware_bf16":
		case "hardware_interconnect":
		case "hardware_slice":
		case "too_slow":
		case "life_too_short":
		case "data_too_slow":
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

/** A prepaid commitment costs nothing extra: $0 here is a valid price. */
export function isPrepaid({
	placement,
	hourlyMicroUsd,
	removedBy,
}: Pick<CandidateView, "placement" | "hourlyMicroUsd" | "removedBy">): boolean {
	const doubted = removedBy !== null && decidingFact(removedBy.why) === "price";
	return placement.capacityType === "reserved" && hourlyMicroUsd === "0" && !doubted;
}

/**
 * Compares an eligible candidate with the selected one; positive means more expensive or later. If only one disk price
 * is known, both are compared without disks, since the other would look cheaper only because its disk price is unknown.
 */
export function comparedWith(
	candidate: CandidateView,
	chosen: CandidateView,
): { extraMicroUsd: bigint; laterMs: number; withoutDisks: boolean } {
	const ofCloud = [candidate, chosen].every((c) => c.placement.capacityType !== "owned");
	const withoutDisks = ofCloud && (candidate.storageMicroUsd === undefined) !== (chosen.storageMicroUsd === undefined);
	const total = (c: CandidateView) => BigInt(c.totalMicroUsd) - (withoutDisks ? BigInt(c.storageMicroUsd ?? 0) : 0n);
	return { extraMicroUsd: total(candidate) - total(chosen), laterMs: candidate.finish.p50Ms - chosen.finish.p50Ms, withoutDisks };
}

/**
 * Whether less than 1 in 2, more than 1 in 10, or neither of the forecast finishes are late; the forecast supports no
 * finer statement.
 */
export function lateness(range: { p50Ms: number; p90Ms: number }, deadlineMs: number | null): "on_time" | "at_risk" | "late" {
	if (deadlineMs === null || range.p90Ms <= deadlineMs) return "on_time";
	return range.p50Ms <= deadlineMs ? "at_risk" : "late";
}
