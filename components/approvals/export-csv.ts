import { csvText, exactDollars } from "#components/csv/csv.ts";
import type { ApprovalItem, ProposalItem } from "./params.ts";
import { answerWords } from "./words.ts";

const dollars = (microUsd: string | null) => (microUsd === null ? "" : exactDollars(BigInt(microUsd)));

/** The jobs that ask, as they are listed. What they cost is the quote's estimate, not what was charged. */
export function approvalsCsv(items: readonly ApprovalItem[]): string {
	const job = ["Job", "Job name", "Team", "Submitted by"];
	const asked = ["Rule", "Policy", "Version", "Asks for", "Asked (UTC)", "Expires (UTC)", "Quoted USD (estimate)", "Up to USD"];
	const lines = items.map(({ job: j, ...a }) => [
		...[a.id, a.state, answerWords(a), j.id, j.name, j.team, j.submittedBy, a.ruleId, a.policyName, String(a.policyVersion), a.role],
		...[a.requestedAt, a.expiresAt, dollars(a.quote.costMicroUsd), dollars(a.upToMicroUsd)],
		...[a.decidedBy ?? "", a.decidedAt ?? "", a.note ?? ""],
	]);
	return csvText([["Approval", "State", "Answer", ...job, ...asked, "Answered by", "Answered (UTC)", "Note"], ...lines]);
}

/** The changes that need a second person, as they are listed; amounts are caps. */
export function proposalsCsv(proposals: readonly ProposalItem[]): string {
	const lines = proposals.map((p) => [
		...[p.id, p.kind, subjectOf(p), ...fromTo(p), p.message, p.proposedBy, p.proposedAt],
		...[p.decision ?? "open", p.decidedBy ?? "", p.decidedAt ?? ""],
	]);
	const head = ["Change", "Kind", "Of", "From", "To", "Message", "Proposed by", "Proposed (UTC)"];
	return csvText([[...head, "Decision", "Decided by", "Decided (UTC)"], ...lines]);
}

function subjectOf(p: ProposalItem): string {
	if (p.kind === "budget_cap") return p.budgetId;
	return p.kind === "policy_publish" ? p.policyName : p.secondPersonOf;
}

/** What it was and what it is to be: a cap in dollars, a policy by its versions, a setting by its value. */
function fromTo(p: ProposalItem): [from: string, to: string] {
	if (p.kind === "budget_cap") return [exactDollars(p.fromMicroUsd), exactDollars(p.toMicroUsd)];
	if (p.kind === "second_person_off") return ["on", "off"];
	return [`version ${p.policyVersion}`, p.rollbackTo === null ? "a new version" : `version ${p.rollbackTo}`];
}
