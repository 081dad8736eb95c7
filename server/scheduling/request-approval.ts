import type { ApprovalRequest } from "#server/domain/approval.ts";
import { estimateOf } from "./cost.ts";
import type { Finding } from "./finding.ts";
import type { Snapshot } from "./types.ts";

/** The approval request of a held job: the placement that the rule stopped, as in the decision. null: no request. */
export function requestOf({ choice, run, start }: Finding, { nowMs }: Pick<Snapshot, "nowMs">): ApprovalRequest | null {
	if (choice?.kind !== "needs_approval" || run === null) return null;
	const { ask, row } = choice;
	const estimate = estimateOf(row, run);
	return {
		ruleId: ask.ruleId,
		role: ask.role,
		quote: {
			placement: row.placement,
			costMicroUsd: String(ask.costMicroUsd),
			hourlyMicroUsd: String((row.offer.microUsdPerHour ?? 0n) * BigInt(run.instances)),
			startP50Ms: nowMs + run.start.p50Ms + Math.round(estimate.copyAheadMs + estimate.refusalMs + estimate.stagingMs),
			homeStartP50Ms: start?.range.p50Ms ?? null,
			emissionsGrams: estimate.emissionsGrams,
		},
	};
}
