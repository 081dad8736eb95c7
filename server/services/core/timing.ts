import { z } from "zod";

/** All waiting times of the control loop, ms, with their defaults for real clouds. */
export const timingSchema = z.strictObject({
	/** Time between SIGTERM and SIGKILL for a command to save a checkpoint. */
	stopGraceMs: z.number().default(90_000),
	/** Time from the launch within which the agent must have called. */
	readyTimeoutMs: z.number().default(15 * 60_000),
	/** Silence of an agent after which its machine is given up. */
	agentSilentMs: z.number().default(5 * 60_000),
	/** The command of a critical job is paused when its agent has had no answer for this long, until it gets one; 0 for never. */
	leaseMs: z.number().int().min(0).default(90_000),
	/** How often an agent calls. */
	heartbeatMs: z.number().default(5_000),
	/** Silence of the control plane after which an agent ends its machine. */
	controlSilenceMs: z.number().default(6 * 60 * 60_000),
	/** Pause before the same launch or termination call is repeated. */
	callRetryMs: z.number().default(10_000),
	/** How long to search for a launch with unknown outcome before it counts as never happened. */
	launchForgetMs: z.number().default(5 * 60_000),
	/** How long an instance may be missing from the provider's answers before it counts as gone. */
	vanishMs: z.number().default(5 * 60_000),
	/** How long an attempt may be missing from its cluster's answers before it counts as lost. */
	siteAbsentMs: z.number().default(30_000),
	/** How long home must have had room for its own held job before the job is released. */
	homeSettleMs: z.number().default(10_000),
	/** First pause after a capacity refusal; doubled for each further one in a row, and fading over time. */
	backoffBaseMs: z.number().default(60_000),
	backoffMaxMs: z.number().default(60 * 60_000),
	/** How long a job avoids an offer after its machine was reclaimed or never came up. */
	offerCooldownMs: z.number().default(10 * 60_000),
	/** Prices older than this are stale. */
	priceMaxAgeMs: z.number().default(6 * 60 * 60_000),
	/** How often prices are read. */
	offersEveryMs: z.number().default(5 * 60_000),
	/** Default time from launch to start of the command, before any was measured. */
	cloudStartMs: z.strictObject({ p50Ms: z.number(), p90Ms: z.number() }).default({ p50Ms: 4 * 60_000, p90Ms: 6 * 60_000 }),
	/** Safety net for lost notifications, and how often providers are polled. */
	tickMs: z.number().default(1_000),
	syncMs: z.number().default(2_000),
	sweepMs: z.number().default(60_000),
	meterMs: z.number().default(30_000),
	/** How often alerts are checked. */
	alertsMs: z.number().default(60_000),
	/** How often the outbox is checked. */
	deliverMs: z.number().default(5_000),
	/** Timeout of one delivery try. */
	deliverTimeoutMs: z.number().default(15_000),
	/** Pause before the second delivery try; doubled for each further one, up to the maximum. */
	deliverRetryMs: z.number().default(30_000),
	deliverRetryMaxMs: z.number().default(60 * 60_000),
	/** How often new audit entries are sealed, and how often the chain is checked. */
	auditSealMs: z.number().default(1_000),
	auditCheckMs: z.number().default(60_000),
	/** How often to check whether the last ledger check is a day old. */
	ledgerCheckMs: z.number().default(15 * 60_000),
});
export type Timing = z.infer<typeof timingSchema>;
