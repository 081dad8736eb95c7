import { gpusOf, type JobSpec } from "#server/domain/job.ts";
import type { Rule } from "#server/domain/policy.ts";
import { assertNever } from "#server/kernel/assert.ts";
import { evaluateExpression } from "./expression.ts";
import { JobFacts } from "./job-facts.ts";
import type { JobVerdict, JudgeJob } from "./types.ts";

/**
 * Verdicts of the rules for a job before any place is considered. Each condition is evaluated once. A condition that cannot be
 * evaluated counts as strict: a place is excluded, a limit and a budget apply, a burst does not happen.
 */
export const judgeJob: JudgeJob = (policy, spec) => {
	const context = { job: new JobFacts(spec) };
	const unanswered: { ruleId: string; error: string }[] = [];
	const verdict: JobVerdict = {
		burst: [],
		preempt: [],
		moves: [],
		defers: [],
		filters: [],
		limits: { instanceMs: null, idleMs: null, gpuUtilisationBelow: null },
		budgets: [],
		caps: [],
		unanswered,
	};
	for (const rule of policy.rules) {
		// an approval condition depends on the quote, which does not exist yet
		if (rule.effect.kind === "require" && rule.effect.capacityType === null) continue;
		const { holds, error } = evaluateExpression(rule.when, context);
		if (error !== null) unanswered.push({ ruleId: rule.id, error });
		if (holds !== false) applyRule(verdict, spec, rule, error);
	}
	for (const budget of policy.budgets) {
		const { holds, error } = evaluateExpression(budget.scope, context);
		if (error !== null) unanswered.push({ ruleId: budget.id, error });
		if (holds !== false) verdict.budgets.push(budget);
	}
	for (const cap of policy.caps) {
		const { holds, error } = evaluateExpression(cap.scope, context);
		if (error !== null) unanswered.push({ ruleId: cap.id, error });
		if (holds !== false) verdict.caps.push(cap);
	}
	return verdict;
};

function applyRule(verdict: JobVerdict, spec: JobSpec, { id: ruleId, effect }: Rule, error: string | null): void {
	const why = error === null ? {} : { conditionError: error };
	switch (effect.kind) {
		case "deny":
		case "allow": {
			const { kind, sites, regions, instanceFamilies, capacityTypes } = effect;
			verdict.filters.push({ ruleId, kind, sites, regions, instanceFamilies, capacityTypes, ...why });
			return;
		}
		case "require":
			if (effect.capacityType !== null)
				verdict.filters.push({ ruleId, kind: "require_capacity_type", capacityType: effect.capacityType, ...why });
			return;
		case "burst": {
			if (error !== null) return;
			const { kind: _, ...triggers } = effect;
			verdict.burst.push({ ruleId, ...triggers });
			if (effect.waitingMicroUsdPerGpuHour !== undefined)
				verdict.delayMicroUsdPerHour ??= Number(effect.waitingMicroUsdPerGpuHour) * gpusOf(spec);
			return;
		}
		// Rules that exclude, move or defer apply only if their condition certainly holds.
		case "preempt":
			if (error === null) verdict.preempt.push({ ruleId, classes: effect.classes, longerBy: effect.longerBy });
			return;
		case "move":
			if (error === null) verdict.moves.push({ ruleId, to: effect.to, savingMicroUsd: effect.savingMicroUsd });
			return;
		case "defer":
			if (error === null) {
				const { kind: _, ...deferred } = effect;
				verdict.defers.push({ ruleId, ...deferred });
			}
			return;
		// Evaluated before there is a job: judge-adoption.ts.
		case "adopt":
			return;
		case "prewarm":
			if (error === null) verdict.prewarm = [...(verdict.prewarm ?? []), ruleId];
			return;
		case "limit":
			verdict.limits.instanceMs = tighter(verdict.limits.instanceMs, ruleId, effect.instanceMs);
			verdict.limits.idleMs = tighter(verdict.limits.idleMs, ruleId, effect.idleMs);
			verdict.limits.gpuUtilisationBelow = busier(verdict.limits.gpuUtilisationBelow, ruleId, effect.gpuUtilisationBelow);
			return;
		default:
			assertNever(effect, "rule effect");
	}
}

type Limit = { ruleId: string; value: number } | null;

function tighter(current: Limit, ruleId: string, value: number | null): Limit {
	return value === null || (current !== null && current.value <= value) ? current : { ruleId, value };
}

type Utilisation = { percent: number; forMs: number };

/** The stricter limit: at least as high a percentage over at most as long a time; if neither is stricter, the first. */
function busier(current: JobVerdict["limits"]["gpuUtilisationBelow"], ruleId: string, asked: Utilisation | null): typeof current {
	if (asked === null) return current;
	return current === null || (asked.percent >= current.percent && asked.forMs <= current.forMs && differs(asked, current))
		? { ruleId, ...asked }
		: current;
}

function differs(a: Utilisation, b: Utilisation): boolean {
	return a.percent !== b.percent || a.forMs !== b.forMs;
}
