import { exactDollars } from "#components/csv/csv.ts";
import { csvText } from "#server/kernel/csv.ts";
import type { ApprovalItem, ProposalItem } from "./params.ts";
import { answerWords } from "./words.ts";

const dollars = (microUsd: string | null) => (microUsd === null ? "" : exactDollars(BigInt(microUsd)));

/** Approvals as CSV. Costs are quoted estimates, not charges. */
export function approvalsCsv(items: readonly ApprovalItem[]): string {
	const job = ["Job", "Job name", "Team", "Submitted by"];
	const asked = ["Rule", "Policy", "Version", "Approver role", "Requested (UTC)", "Expires (UTC)", "Quoted USD (estimate)", "Up to USD"];
	const lines = items.map(({ job: j, ...a }) => [
		...[a.id, a.state, answerWords(a), j.id, j.name, j.team, j.submittedBy, a.ruleId, a.policyName, String(a.policyVersion), a.role],
		...[a.requestedAt, a.expiresAt, dollars(a.quote.costMicroUsd), dollars(a.upToMicroUsd)],
		...[a.decidedBy ?? "", a.decidedAt ?? "", a.note ?? ""],
	]);
	return csvText([["Approval", "State", "Answer", ...job, ...asked, "Decided by", "Decided (UTC)", "Note"], ...lines]);
}

/** Changes that need a second person, as CSV. Amounts are caps. */
export function proposalsCsv(proposals: readonly ProposalItem[]): string {
	const lines = proposals.map((p) => [
		...[p.id, p.kind, subjectOf(p), ...fromTo(p), p.message, p.proposedBy, p.proposedAt],
		...[p.decision ?? "open", p.decidedBy ?? "", p.decidedAt ?? ""],
	]);
	const head = ["Change", "Kind", "Target", "From", "To", "Message", "Proposed by", "Proposed (UTC)"];
	return csvText([[...head, "Decision", "Decided by", "Decided (UTC)"], ...lines]);
}

function subjectOf(p: ProposalItem): string {
	if (p.kind === "budget_cap") return p.budgetId;
	return p.kind === "policy_publish" ? p.policyName : p.secondPersonOf;
}

/** Old and new value: a cap in dollars, a policy version or a setting. */
function fromTo(p: ProposalItem): [from: string, to: string] {
	if (p.kind === "budget_cap") return [exactDollars(p.fromMicroUsd), exactDollars(p.toMicroUsd)];
	if (p.kind === "second_person_off") return ["on", "off"];
	return [`version ${p.policyVersion}`, p.rollbackTo === null ? "a new version" : `version ${p.rollbackTo}`];
}
