import type { Placement } from "./capacity.ts";
import type { Role } from "./vocabulary.ts";

/** State of a rule's approval request for a job: the latest of each rule. */
export interface ApprovalAnswer {
	ruleId: string;
	answer: "granted" | "refused" | "expired";
	/** What was approved; null otherwise. */
	upToMicroUsd: bigint | null;
	/** The estimate shown to the approver. */
	askedMicroUsd: bigint;
}

/** What needs approval: the placement that the rule stopped, with its estimate. Money as decimal strings. */
export interface ApprovalQuote {
	placement: Placement;
	costMicroUsd: string;
	hourlyMicroUsd: string;
	startP50Ms: number;
	/** Start at home if the job had waited. */
	homeStartP50Ms: number | null;
	emissionsGrams: number | null;
	decisionId: string | null;
}

/** The approval that a decision requires for a job it holds. */
export interface ApprovalRequest {
	ruleId: string;
	role: Role;
	quote: Omit<ApprovalQuote, "decisionId">;
}
