import { desc, isNull, or, sql } from "drizzle-orm";
import { policy } from "#server/db/schema/policy.ts";
import { type ProposedChange, proposal, type SecondPersonOf } from "#server/db/schema/proposal.ts";
import type { BudgetPeriod } from "#server/domain/policy.ts";
import type { PolicyOrigin } from "#server/domain/policy-version.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { namesOf } from "#server/services/core/people.ts";

interface ProposalBase {
	id: string;
	message: string;
	/** Names of people; an account that no longer exists is shown by its id. */
	proposedBy: string;
	proposedAt: string;
	decision: "approved" | "rejected" | "withdrawn" | null;
	decidedBy: string | null;
	decidedAt: string | null;
	/** Whether the reader proposed it, so that another person must approve. */
	mine: boolean;
}

interface OfPolicy {
	/** Whether the policy has changed since: then it can no longer be approved. */
	stale: boolean;
	/** Version in force when it was proposed; 0 for none. */
	policyVersion: number;
}

export interface CapProposalView extends ProposalBase, OfPolicy {
	kind: "budget_cap";
	budgetId: string;
	/** Jobs (CEL) and period of a new budget; null when the cap of an existing one changes. */
	added: { scope: string; period: BudgetPeriod } | null;
	fromMicroUsd: bigint;
	toMicroUsd: bigint;
}

export interface PolicyProposalView extends ProposalBase, OfPolicy {
	kind: "policy_publish";
	policyName: string;
	/** The proposed text; policy.diff shows its changes. */
	source: string;
	/** The older version to put in force again; null for a new one. */
	rollbackTo: number | null;
	origin: PolicyOrigin | null;
	backtestId: string | null;
	noBacktestReason: string | null;
}

/** Whether these change without a second person from now on. */
export interface SecondPersonOffView extends ProposalBase {
	kind: "second_person_off";
	secondPersonOf: SecondPersonOf;
}

export type ProposalView = CapProposalView | PolicyProposalView | SecondPersonOffView;

/** Pending proposals and the latest decided ones; newest first. */
export async function listProposals(ctx: ServiceContext): Promise<ProposalView[]> {
	authorize(ctx, "budget:read", null);
	const pointers = await ctx.db.select({ name: policy.name, version: policy.activeVersion }).from(policy);
	const rows = await ctx.db
		.select()
		.from(proposal)
		.where(
			or(
				isNull(proposal.decision),
				sql`${proposal.decidedAt} > ${new Date(ctx.clock.nowMs() - 90 * 86_400_000).toISOString()}::timestamptz`,
			),
		)
		.orderBy(desc(proposal.proposedAt), desc(proposal.id))
		.limit(50);
	const nameOf = await namesOf(
		ctx.db,
		rows.flatMap((row) => [row.proposedBy, row.decidedBy]),
	);
	return rows.map((row) => {
		const base: ProposalBase = {
			...{ id: row.id, message: row.message },
			...{ proposedBy: nameOf(row.proposedBy), proposedAt: row.proposedAt.toISOString(), decision: row.decision },
			decidedBy: row.decidedBy === null ? null : nameOf(row.decidedBy),
			decidedAt: row.decidedAt?.toISOString() ?? null,
			mine: row.proposedBy === actorName(ctx.actor),
		};
		return viewOf(base, row.change, (name) => pointers.find((p) => p.name === name)?.version ?? 0);
	});
}

/** Proposals that change a cap. */
export async function listCapProposals(ctx: ServiceContext): Promise<CapProposalView[]> {
	return (await listProposals(ctx)).filter((p): p is CapProposalView => p.kind === "budget_cap");
}

/** Proposals that publish a policy or roll it back. */
export async function listPolicyProposals(ctx: ServiceContext): Promise<PolicyProposalView[]> {
	return (await listProposals(ctx)).filter((p): p is PolicyProposalView => p.kind === "policy_publish");
}

function viewOf(base: ProposalBase, change: ProposedChange, activeVersion: (policyName: string) => number): ProposalView {
	if ("secondPersonOf" in change) return { ...base, kind: "second_person_off", secondPersonOf: change.secondPersonOf };
	const { policyVersion, policyName } = change;
	const ofPolicy = { policyVersion, stale: base.decision === null && activeVersion(policyName) !== policyVersion };
	if ("budgetId" in change) {
		const { budgetId, fromMicroUsd, toMicroUsd, added = null } = change;
		return {
			...{ ...base, ...ofPolicy, kind: "budget_cap", budgetId, added },
			...{ fromMicroUsd: BigInt(fromMicroUsd), toMicroUsd: BigInt(toMicroUsd) },
		};
	}
	const { source, rollbackTo, origin, backtestId, noBacktestReason = null } = change;
	return { ...base, ...ofPolicy, kind: "policy_publish", policyName, source, rollbackTo, origin, backtestId, noBacktestReason };
}
