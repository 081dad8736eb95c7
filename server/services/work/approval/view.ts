import type { approval } from "#server/db/schema/approval.ts";
import type { job } from "#server/db/schema/job.ts";
import type { ApprovalQuote } from "#server/domain/approval.ts";
import type { Policy } from "#server/domain/policy.ts";
import type { JobState } from "#server/domain/states.ts";
import type { Role, WorkloadClass } from "#server/domain/vocabulary.ts";
import { judgeJob } from "#server/policy/judge-job.ts";
import type { BudgetView } from "#server/scheduling/types.ts";
import { allows } from "#server/services/core/authorize.ts";
import { type Actor, actorName } from "#server/services/core/context.ts";
import { type ReasonView, reasonView } from "#server/services/core/view.ts";

/** Times are ISO 8601 in UTC, money decimal strings of micro-dollars. */
export interface ApprovalView {
	id: string;
	state: "open" | "granted" | "refused" | "expired" | "withdrawn";
	job: {
		id: string;
		name: string;
		team: string;
		class: WorkloadClass;
		gpus: number;
		state: JobState;
		/** The reason for its current state, as a sentence. */
		reason: ReasonView;
		submittedBy: string;
		submittedAt: string;
		deadlineAt: string | null;
	};
	ruleId: string;
	/** The rule's condition in the policy in force; null when it covers every burst or the rule no longer exists. */
	condition: string | null;
	policyName: string;
	policyVersion: number;
	role: Role;
	quote: ApprovalQuote;
	requestedAt: string;
	expiresAt: string;
	upToMicroUsd: string | null;
	decidedBy: string | null;
	decidedAt: string | null;
	note: string | null;
	/** Whether the reader submitted it and therefore may not answer it. */
	mine: boolean;
	mayAnswer: boolean;
	/** The tightest budget that counts the job, while the request is open; null when none does. */
	budget: { budgetId: string; freeMicroUsd: string; capMicroUsd: string } | null;
}

/** Requires the rule's role, and excludes one's own job. */
export function canAnswer(actor: Actor, role: Role, submittedBy: string): boolean {
	return actor.kind === "person" && actor.role === role && allows({ actor }, "job:approve", null) && actorName(actor) !== submittedBy;
}

export function viewOf(input: {
	approval: typeof approval.$inferSelect;
	job: typeof job.$inferSelect;
	actor: Actor;
	names: (actor: string) => string;
	money: { policy: Policy; budgets: readonly BudgetView[] } | null;
}): ApprovalView {
	const { approval: a, job: j, actor, names, money } = input;
	const open = a.state === "open";
	return {
		...{ id: a.id, state: a.state, ruleId: a.ruleId, role: a.role, quote: a.quote, note: a.note },
		job: {
			...{ id: j.id, name: j.name, team: j.team, class: j.class, gpus: j.gpus, state: j.state, reason: reasonView(j.reason) },
			...{ submittedBy: names(j.submittedBy), submittedAt: j.submittedAt.toISOString() },
			deadlineAt: j.deadlineAt?.toISOString() ?? null,
		},
		condition: money?.policy.rules.find((r) => r.id === a.ruleId)?.when ?? null,
		...{ policyName: a.policyName, policyVersion: a.policyVersion },
		...{ requestedAt: a.requestedAt.toISOString(), expiresAt: a.expiresAt.toISOString() },
		upToMicroUsd: a.upToMicroUsd?.toString() ?? null,
		decidedBy: a.decidedBy === null ? null : names(a.decidedBy),
		decidedAt: a.decidedAt?.toISOString() ?? null,
		mine: actorName(actor) === j.submittedBy,
		mayAnswer: open && canAnswer(actor, a.role, j.submittedBy),
		budget: open && money ? tightest(money, j) : null,
	};
}

function tightest(
	{ policy, budgets }: { policy: Policy; budgets: readonly BudgetView[] },
	{ spec }: typeof job.$inferSelect,
): ApprovalView["budget"] {
	const ids = new Set(judgeJob(policy, spec).budgets.map((b) => b.id));
	const [least] = budgets
		.filter((b) => ids.has(b.id))
		.map((b) => ({ ...b, free: b.capMicroUsd - b.postedMicroUsd - b.heldMicroUsd }))
		.sort((a, b) => (a.free < b.free ? -1 : a.free > b.free ? 1 : 0));
	return least ? { budgetId: least.id, freeMicroUsd: least.free.toString(), capMicroUsd: least.capMicroUsd.toString() } : null;
}
