import type { BudgetRule } from "#server/domain/policy.ts";
import { reason } from "#server/domain/reasons.ts";
import { LIMITS } from "../limits.ts";
import { restOfAttempt } from "../run-time.ts";
import type { Action, BudgetView, RunningAttempt } from "../types.ts";
import { byAttemptId, costOfRest, nextCheckpointOf } from "./attempt-facts.ts";
import type { RunningInput } from "./types.ts";

/** A budget at its cap with a rule that does more than hold. */
interface CappedBudget {
	rule: BudgetRule;
	view: BudgetView;
}

/** Budgets at their cap: posted reached it, or posted + held exceeds it, which is possible after the cap was lowered. By id. */
export function cappedBudgets({ snapshot }: RunningInput): CappedBudget[] {
	return snapshot.policy.budgets
		.flatMap((rule) => {
			const view = rule.atCap === "hold" ? undefined : snapshot.budgets.find((b) => b.id === rule.id);
			if (!view) return [];
			const { capMicroUsd: cap, postedMicroUsd: posted, heldMicroUsd: held } = view;
			return posted >= cap || posted + held > cap ? [{ rule, view }] : [];
		})
		.sort((a, b) => (a.rule.id < b.rule.id ? -1 : 1));
}

/**
 * Ends cloud attempts under a budget at its cap, the most expensive expected remainder first, until posted + the expected remainder of the
 * other ones fits under the cap. `terminate` stops immediately; `checkpoint-and-return` stops at the next checkpoint: an attempt without
 * one soon continues until it has one, and an attempt without a schedule saves in its grace period. In both cases the job waits again (at
 * home, or held by that budget) and does not fail. An attempt with an unknown price counts as the most expensive.
 */
export function capReactions(input: RunningInput, capped: readonly CappedBudget[], open: readonly RunningAttempt[]): Action[] {
	const gone = new Set<string>();
	return capped.flatMap((budget) => reactTo(input, budget, open, gone));
}

function reactTo(input: RunningInput, { rule, view }: CappedBudget, open: readonly RunningAttempt[], gone: Set<string>): Action[] {
	const { nowMs } = input.snapshot;
	const under = open
		.filter((attempt) => !gone.has(attempt.attemptId) && input.shapeOf(attempt.spec).verdict.budgets.some((b) => b.id === rule.id))
		.map((attempt) => ({ attempt, restMicroUsd: expectedRest(input, attempt) }))
		.sort((a, b) => compareCostDescending(a.restMicroUsd, b.restMicroUsd) || byAttemptId(a.attempt, b.attempt));
	let staysMicroUsd = under.reduce((sum, u) => sum + u.restMicroUsd, 0);
	const roomMicroUsd = Number(view.capMicroUsd - view.postedMicroUsd);
	const actions: Action[] = [];
	for (const { attempt } of under) {
		if (staysMicroUsd <= roomMicroUsd) break;
		// The remaining ones are summed again, because infinite minus infinite is undefined.
		gone.add(attempt.attemptId);
		staysMicroUsd = under.reduce((sum, u) => sum + (gone.has(u.attempt.attemptId) ? 0 : u.restMicroUsd), 0);
		if (rule.atCap === "checkpoint-and-return" && !isAtCheckpoint(attempt, nowMs)) continue;
		const facts = { budgetId: rule.id, capMicroUsd: String(view.capMicroUsd), postedMicroUsd: String(view.postedMicroUsd) };
		const { jobId, attemptId } = attempt;
		actions.push({ kind: "stop", jobId, attemptId, reason: reason("budget_cap_reached", facts) });
	}
	return actions;
}

function expectedRest(input: RunningInput, attempt: RunningAttempt): number {
	const { p50Ms } = restOfAttempt(attempt, input.snapshot.nowMs, input.runTimeOf);
	return costOfRest(attempt, p50Ms) ?? Number.POSITIVE_INFINITY;
}

function compareCostDescending(a: number, b: number): number {
	return a === b ? 0 : b > a ? 1 : -1;
}

/** The grace period is time to save, so a checkpoint due within it counts as made. */
function isAtCheckpoint(attempt: RunningAttempt, nowMs: number): boolean {
	const at = nextCheckpointOf(attempt, nowMs);
	return at === null || at - nowMs <= LIMITS.stopGraceMs;
}
