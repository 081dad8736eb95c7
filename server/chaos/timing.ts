import { timingSchema } from "#server/services/core/timing.ts";

const MINUTE_MS = 60_000;

/**
 * Waiting times by the run's clock; the loop's own timers, from tickMs on, in real time. Changes wake the loop, so its timers
 * only cover unannounced changes. Reads of the database and of providers are most of a run's cost.
 */
export const TIMING = timingSchema.parse({
	stopGraceMs: 10_000,
	readyTimeoutMs: 6 * MINUTE_MS,
	agentSilentMs: 1.5 * MINUTE_MS,
	leaseMs: MINUTE_MS,
	heartbeatMs: 5_000,
	controlSilenceMs: 10 * MINUTE_MS,
	callRetryMs: 4_000,
	launchForgetMs: MINUTE_MS,
	vanishMs: MINUTE_MS,
	backoffBaseMs: 10_000,
	backoffMaxMs: MINUTE_MS,
	offerCooldownMs: 10_000,
	priceMaxAgeMs: 24 * 60 * MINUTE_MS,
	tickMs: 500,
	syncMs: 160,
	sweepMs: 3_000,
	meterMs: 1_000,
	offersEveryMs: 2_000,
	alertsMs: 10 * MINUTE_MS,
	auditSealMs: 10 * MINUTE_MS,
	auditCheckMs: 10 * MINUTE_MS,
});
