import { type Reason, reason } from "#server/domain/reasons.ts";
import type { JobVerdict } from "#server/policy/types.ts";
import { LIMITS } from "./limits.ts";
import { needsGuard } from "./running/needs-guard.ts";
import type { RunningAttempt } from "./types.ts";

type Limits = JobVerdict["limits"];

/**
 * The limit that a live attempt exceeded, or null: the job's maximum duration, the end of its instance's life, the policy's limits on idle
 * instances and on low GPU use. Missing measurements exceed no limit. For the attempt a life ends LIMITS.stopGraceMs early, so that its
 * work can still be saved. `limitsOf` is called only when there is a measurement to compare.
 */
export function exceededLimit(attempt: RunningAttempt, nowMs: number, limitsOf: (attempt: RunningAttempt) => Limits): Reason | null {
	const { maxMs } = attempt.spec.duration;
	if (maxMs !== null && ranMs(attempt, nowMs) >= maxMs) return reason("max_duration_exceeded", { maxMs, ranMs: ranMs(attempt, nowMs) });
	const { expiresAtMs = null, idleSinceMs = null, gpuUtilisation } = attempt;
	if (expiresAtMs !== null && attempt.startedAtMs !== null && nowMs >= expiresAtMs - LIMITS.stopGraceMs)
		return reason("instance_expired", { expiresAtMs });
	if (idleSinceMs !== null) {
		const limit = limitsOf(attempt).idleMs;
		const idleMs = nowMs - idleSinceMs;
		if (limit && idleMs >= limit.value) return reason("instance_idle", { idleMs, limitMs: limit.value, ruleId: limit.ruleId });
	}
	return gpuUtilisation ? poorlyUsed(gpuUtilisation, limitsOf(attempt).gpuUtilisationBelow) : null;
}

/**
 * Before this time the attempt needs no urgent action (brokenBound, running/deadline-guard.ts). It may be earlier than the time when a
 * limit is exceeded, never later.
 */
export function earliestLimitMs(attempt: RunningAttempt): number {
	const { expiresAtMs = null, idleSinceMs = null, gpuUtilisation, spec } = attempt;
	if (attempt.stopping) return Number.POSITIVE_INFINITY;
	if (idleSinceMs !== null || gpuUtilisation !== undefined || needsGuard(attempt)) return Number.NEGATIVE_INFINITY;
	const { maxMs } = spec.duration;
	const byJob = maxMs === null ? Number.POSITIVE_INFINITY : attempt.placedAtMs + maxMs - ranBeforeMs(attempt);
	const startedMs = attempt.startedAtMs ?? byJob;
	const byStart = maxMs === null ? byJob : Math.min(byJob, startedMs + maxMs - ranBeforeMs(attempt));
	return Math.min(byStart, expiresAtMs === null ? Number.POSITIVE_INFINITY : expiresAtMs - LIMITS.stopGraceMs);
}

function poorlyUsed(seen: NonNullable<RunningAttempt["gpuUtilisation"]>, limit: Limits["gpuUtilisationBelow"]): Reason | null {
	if (!limit || seen.overMs < limit.forMs || seen.percent >= limit.percent) return null;
	const { percent, overMs } = seen;
	return reason("gpu_utilisation_low", { percent, overMs, belowPercent: limit.percent, ruleId: limit.ruleId });
}

function ranMs(attempt: RunningAttempt, nowMs: number): number {
	return attempt.startedAtMs === null ? Number.NEGATIVE_INFINITY : ranBeforeMs(attempt) + nowMs - attempt.startedAtMs;
}

/** A maximum is wall-clock time, whatever the speed of the places where the job ran. */
function ranBeforeMs({ completedByClockMs, completedMs }: RunningAttempt): number {
	return completedByClockMs ?? completedMs;
}
