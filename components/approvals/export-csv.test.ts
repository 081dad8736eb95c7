import { describe, expect, it } from "vitest";
import { readCsv } from "#components/csv/read-csv.testing.ts";
import { approvalsCsv, proposalsCsv } from "./export-csv.ts";
import type { ApprovalItem, ProposalItem } from "./params.ts";

const job = { id: "job_1", name: "pretrain, v2", team: "vision", submittedBy: "ada@acme.example" };
const open = {
	...{ id: "apr_1", state: "open", job, ruleId: "ask-first", policyName: "default", policyVersion: 7, role: "platform" },
	...{ requestedAt: "2026-11-19T14:00:00.000Z", expiresAt: "2026-11-20T14:00:00.000Z", quote: { costMicroUsd: "2400000001" } },
	...{ upToMicroUsd: null, decidedBy: null, decidedAt: null, note: null },
};

describe("approvals export", () => {
	it("exports requester, rule and exact quote; undecided fields are empty", () => {
		const granted = { ...open, state: "granted", upToMicroUsd: "2000000000", decidedBy: "Bo", note: "=until Friday" };
		const [waits, answered] = readCsv(approvalsCsv([open, granted] as unknown as ApprovalItem[]));
		expect(waits).toMatchObject({
			...{ Approval: "apr_1", State: "open", Answer: "Pending", "Job name": "pretrain, v2", Team: "vision", Version: "7" },
			...{ "Quoted USD (estimate)": "2400.000001", "Up to USD": "", "Decided by": "", "Decided (UTC)": "" },
		});
		expect(answered).toMatchObject({
			...{ Answer: "Approved up to $2,000.00", "Up to USD": "2000.000000", "Decided by": "Bo", Note: "'=until Friday" },
		});
	});

	it("exports each kind of change with old and new values", () => {
		const base = { id: "prp_1", message: "Q4", proposedBy: "Cy", proposedAt: "2026-11-19T14:00:00.000Z", decision: null };
		const rest = { ...base, decidedBy: null, decidedAt: null, mine: false, stale: false, policyVersion: 3 };
		const changes = [
			{ ...rest, kind: "budget_cap", budgetId: "cloud-month", added: null, fromMicroUsd: 50_000_000_000n, toMicroUsd: 60_000_000_000n },
			{ ...rest, kind: "policy_publish", policyName: "default", rollbackTo: 2, decision: "approved", decidedBy: "Di" },
			{ ...rest, kind: "policy_publish", policyName: "default", rollbackTo: null },
			{ ...rest, kind: "second_person_off", secondPersonOf: "budgets" },
		];
		const lines = readCsv(proposalsCsv(changes as unknown as ProposalItem[]));
		expect(lines.map((l) => [l.Target, l.From, l.To, l.Decision])).toEqual([
			["cloud-month", "50000.000000", "60000.000000", "open"],
			["default", "version 3", "version 2", "approved"],
			["default", "version 3", "a new version", "open"],
			["budgets", "on", "off", "open"],
		]);
	});
});
