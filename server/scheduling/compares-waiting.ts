import type { Policy } from "#server/domain/policy.ts";
import type { JobVerdict } from "#server/policy/types.ts";
import { delayMicroUsdPerHourOf } from "./cost.ts";

/**
 * Whether every rule that can let the job leave, now or later, compares leaving with waiting. Waiting for a fixed start costs less and
 * less as time passes, so a job that waits for any offer then waits on.
 */
export function alwaysComparesWaiting(verdict: JobVerdict, policy: Policy): boolean {
	const delayMatters = delayMicroUsdPerHourOf(verdict, { policy }) > 0;
	return verdict.burst.every((rule) => {
		const comparesOnly = !rule.always && rule.waitedMs === null && rule.deadlineSlackMs === null;
		return comparesOnly && (delayMatters || (rule.forecastWaitMs === null && rule.queueLength === null));
	});
}
