import type { ShadowChoice } from "#server/db/schema/shadow.ts";
import type { Policy } from "#server/domain/policy.ts";
import type { Reason } from "#server/domain/reasons.ts";
import { sentenceOf } from "#server/domain/sentences.ts";
import type { BudgetView, Plan, Snapshot } from "#server/scheduling/types.ts";

/** The same moment under the draft. A budget in both policies keeps its spending; a new one starts at zero. */
export function draftSnapshot(snapshot: Snapshot, draft: Policy): Snapshot {
	const known = new Map(snapshot.budgets.map((b) => [`${b.id}\n${b.scope}`, b]));
	const budgets = draft.budgets.map(({ id, scope, capMicroUsd }): BudgetView => {
		const same = known.get(`${id}\n${scope}`);
		return { id, scope, capMicroUsd, postedMicroUsd: same?.postedMicroUsd ?? 0n, heldMicroUsd: same?.heldMicroUsd ?? 0n };
	});
	return { ...snapshot, policy: draft, budgets };
}

/** The plan's result for one job, before rendering. */
export interface Choice extends Omit<ShadowChoice, "sentence"> {
	why: Reason;
}

export function inWords({ why, ...choice }: Choice): ShadowChoice {
	return { ...choice, sentence: sentenceOf(why) };
}

/** The plan's result for each pending job. */
export function choicesOf(plan: Plan): Map<string, Choice> {
	const choices = new Map<string, Choice>();
	for (const [jobId, why] of plan.waiting) choices.set(jobId, choice(isHeld(why) ? "held" : "waits", null, "0", why));
	for (const action of plan.actions) {
		const { jobId, reason } = action;
		if (action.kind === "place_home") choices.set(jobId, choice("home", action.poolId, "0", reason));
		else if (action.kind === "launch")
			choices.set(jobId, choice("cloud", action.offer.id, String(reason.facts["costMicroUsd"] ?? "0"), reason));
		else if (action.kind === "hold") choices.set(jobId, choice("held", null, "0", reason));
		else if (action.kind === "fail") choices.set(jobId, choice("denied", null, "0", reason));
	}
	return choices;
}

function choice(outcome: Choice["outcome"], place: string | null, costMicroUsd: string, why: Reason): Choice {
	return { outcome, place, costMicroUsd, why };
}

function isHeld({ code }: Reason): boolean {
	return code === "budget_exceeded" || code === "approval_required" || code === "no_progress";
}

/** The published policy placed it or gave it up, so its outcome is final. */
export function isFinal({ outcome }: Pick<Choice, "outcome">): boolean {
	return outcome === "home" || outcome === "cloud" || outcome === "denied";
}

export function agree(a: Pick<Choice, "outcome" | "place">, b: Pick<Choice, "outcome" | "place">): boolean {
	return a.outcome === b.outcome && a.place === b.place;
}
