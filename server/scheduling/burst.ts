import type { Reason } from "#server/domain/reasons.ts";
import type { JobVerdict } from "#server/policy/types.ts";
import type { QueuedJob } from "./order.ts";

type BurstRule = JobVerdict["burst"][number];

/** Values that the triggers of burst rules are compared with. */
export interface BurstFacts {
	/** P50 start at home − now; infinite when no responding pool can run the job. */
	forecastWaitMs: number;
	waitedMs: number;
	slackMs: number;
	/** Jobs waiting for home up to and including this one, in queue order. */
	queueLength: number;
}

export type BurstTrigger = "always" | "forecast_wait" | "waited" | "deadline_slack" | "queue_length" | "waiting_budget";

/** The rule that lets a job leave home, and the trigger that was met. */
export interface DueBurst {
	ruleId: string;
	trigger: BurstTrigger;
	facts: Reason["facts"];
	/** Every due rule sets a limit, and an offer must meet at least one of them; null: a due rule without limits. */
	atMost: readonly BurstLimit[] | null;
}

/** When due, this rule lets the job leave only to offers within these limits. null: no such limit. */
export interface BurstLimit {
	ruleId: string;
	costMicroUsd: bigint | null;
	dataGiB: number | null;
}

/** `homeStartMs`: infinite if no pool can run the job. */
export function burstFactsOf(queued: QueuedJob, homeStartMs: number, waitingBefore: number, nowMs: number): BurstFacts {
	return {
		// Without the bound, V8 compiles this function and its inlined callers for finite numbers, and again after each infinite one.
		forecastWaitMs: Math.max(0, homeStartMs - nowMs),
		waitedMs: Math.max(0, nowMs - queued.job.pendingSinceMs),
		slackMs: queued.slackMs,
		queueLength: waitingBefore + 1,
	};
}

/**
 * The first burst rule, in policy order, with a trigger that is met. A rule that limits cost or data yields to a later rule without limits.
 */
export function dueBurst(rules: readonly BurstRule[], facts: BurstFacts): DueBurst | null {
	let first: DueBurst | null = null;
	let atMost: BurstLimit[] | null = null;
	for (const rule of rules) {
		const due = triggerOf(rule, facts);
		if (!due) continue;
		if (rule.costAtMostMicroUsd === null && rule.dataAtMostGiB === null) return due;
		first ??= due;
		atMost ??= [];
		atMost.push({ ruleId: rule.ruleId, costMicroUsd: rule.costAtMostMicroUsd, dataGiB: rule.dataAtMostGiB });
	}
	return first && { ...first, atMost };
}

/** The trigger of one rule that is met, ignoring its limits. */
function triggerOf(rule: BurstRule, facts: BurstFacts): DueBurst | null {
	const { ruleId } = rule;
	if (rule.always) return { ruleId, trigger: "always", facts: {}, atMost: null };
	if (rule.forecastWaitMs !== null && facts.forecastWaitMs > rule.forecastWaitMs) {
		return {
			ruleId,
			trigger: "forecast_wait",
			facts: { thresholdMs: rule.forecastWaitMs, forecastWaitMs: finiteOrNull(facts.forecastWaitMs) },
			atMost: null,
		};
	}
	if (rule.waitedMs !== null && facts.waitedMs > rule.waitedMs) {
		return { ruleId, trigger: "waited", facts: { thresholdMs: rule.waitedMs, waitedMs: facts.waitedMs }, atMost: null };
	}
	// Waiting for home would use up the slack, so the relevant slack is the one left when home starts it.
	if (rule.deadlineSlackMs !== null && slackAtHome(facts) < rule.deadlineSlackMs) {
		const slackMs = finiteOrNull(slackAtHome(facts));
		return { ruleId, trigger: "deadline_slack", facts: { thresholdMs: rule.deadlineSlackMs, slackMs }, atMost: null };
	}
	if (rule.queueLength !== null && facts.queueLength > rule.queueLength) {
		return { ruleId, trigger: "queue_length", facts: { threshold: rule.queueLength, queueLength: facts.queueLength }, atMost: null };
	}
	// Waiting is compared with the best offer once it is known (stayReason).
	if (rule.waitingMicroUsdPerGpuHour !== undefined) {
		return {
			ruleId,
			trigger: "waiting_budget",
			facts: { waitingMicroUsdPerGpuHour: String(rule.waitingMicroUsdPerGpuHour), forecastWaitMs: finiteOrNull(facts.forecastWaitMs) },
			atMost: null,
		};
	}
	return null;
}

/** Deadline − (P50 start at home + P50 run time); infinite without a deadline, even if home cannot run the job. */
function slackAtHome(facts: BurstFacts): number {
	return facts.slackMs === Number.POSITIVE_INFINITY ? facts.slackMs : facts.slackMs - facts.forecastWaitMs;
}

/** Whether time alone can let the job leave. If not, only home can run it. */
export function canEverBurst(rules: readonly BurstRule[], hasDeadline: boolean): boolean {
	return rules.some(
		(r) =>
			r.always ||
			r.forecastWaitMs !== null ||
			r.waitedMs !== null ||
			r.queueLength !== null ||
			r.waitingMicroUsdPerGpuHour !== undefined ||
			(r.deadlineSlackMs !== null && hasDeadline),
	);
}

/** The rule that becomes due first as time passes; null if none does before home starts the job. */
export function nextBurst(rules: readonly BurstRule[], facts: BurstFacts): { ruleId: string; inMs: number; thresholdMs: number } | null {
	let next: { ruleId: string; inMs: number; thresholdMs: number } | null = null;
	for (const rule of rules) {
		if (rule.waitedMs === null) continue;
		const inMs = rule.waitedMs - facts.waitedMs;
		if (inMs < facts.forecastWaitMs && (next === null || inMs < next.inMs))
			next = { ruleId: rule.ruleId, inMs, thresholdMs: rule.waitedMs };
	}
	return next;
}

/**
 * Whether to compare waiting with leaving once a rule is due. Rules that are immediate or based on the deadline have already decided; for
 * the others the weight of delay gives the value of a shorter wait.
 */
export function shouldCompareWaiting(due: DueBurst, delayMicroUsdPerHour: number): boolean {
	if (due.trigger === "waiting_budget") return true;
	return delayMicroUsdPerHour > 0 && due.trigger !== "always" && due.trigger !== "deadline_slack";
}

export function finiteOrNull(value: number): number | null {
	return Number.isFinite(value) ? value : null;
}
