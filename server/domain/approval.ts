import type { Placement } from "./capacity.ts";
import type { Role } from "./vocabulary.ts";

/** What became of asking for a job by a rule: of each rule the newest. */
export interface ApprovalAnswer {
	ruleId: string;
	answer: "granted" | "refused" | "expired";
	/** What was granted; null otherwise. */
	upToMicroUsd: bigint | null;
	/** The estimate that the person saw. */
	askedMicroUsd: bigint;
}

/** What the approver is asked for: the placement that the rule stopped, as it was estimated. Money as decimal strings. */
export interface ApprovalQuote {
	placement: Placement;
	costMicroUsd: string;
	hourlyMicroUsd: string;
	startP50Ms: number;
	/** Start at home, had the job to wait. */
	homeStartP50Ms: number | null;
	emissionsGrams: number | null;
	decisionId: string | null;
}

/** What a decision asks of a person for a job that it holds. */
export interface ApprovalRequest {
	ruleId: string;
	role: Role;
	quote: Omit<ApprovalQuote, "decisionId">;
}
