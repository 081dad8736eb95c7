/** What an alert can be about. server/domain/alert-sentences.ts has the text for each. */
export const ALERT_RULES = [
	/** Posted money passed a share of a budget's cap. */
	"budget_threshold",
	/** The forecast for the end of the period exceeds the cap. */
	"budget_forecast_overrun",
	/** A team's spend on a day is far from its usual pattern. */
	"spend_anomaly",
	/** An instance that should have ended has not been seen to end. */
	"money_at_risk",
	/** A provider billed for an unknown resource with our tag or of a kind that we launch. */
	"billed_unknown",
	/** Rollups differ from the sum of their charges. */
	"ledger_mismatch",
	/** The scheduler's check found a break in the audit log's hash chain. */
	"audit_chain_broken",
	/** A rule requires approval before a job may leave home. */
	"approval_waiting",
	/** A result could not be delivered to the target in its job file. */
	"delivery_failing",
	/** A site does not respond. */
	"site_unhealthy",
	/** No scheduler leads, so nothing is placed, metered or terminated. Web servers detect it. */
	"no_leader",
	/** A job makes no progress, and Spillway cannot resolve it. */
	"job_stuck",
	/** Spillway cannot look for orphans in a region or site. */
	"sweep_failing",
	/** A credential or certificate expires soon. */
	"credential_expiring",
	/** A month cannot be closed on its day because an exchange rate is missing. */
	"rates_missing",
] as const;
export type AlertRule = (typeof ALERT_RULES)[number];

/** Events of jobs and pipelines that a channel can receive. Jobs in a pipeline send no events; their pipeline does. */
export const WORK_TOPICS = ["work_finished", "work_failed", "work_over_forecast", "work_reclaimed"] as const;
export type WorkTopic = (typeof WORK_TOPICS)[number];

/** What a channel receives by default: every alert, and statements when they are closed. */
export const DEFAULT_TOPICS = [...ALERT_RULES, "statement"] as const;

/** What a channel can receive. */
export const CHANNEL_TOPICS = [...DEFAULT_TOPICS, ...WORK_TOPICS] as const;
export type ChannelTopic = (typeof CHANNEL_TOPICS)[number];

export const CHANNEL_KINDS = ["email", "slack", "teams", "webhook", "cloudevents"] as const;

/** Channels with a key for signing their messages. */
export const SIGNED_KINDS = ["webhook", "cloudevents"] as const satisfies readonly (typeof CHANNEL_KINDS)[number][];

export function isSigned(kind: (typeof CHANNEL_KINDS)[number]): boolean {
	return (SIGNED_KINDS as readonly string[]).includes(kind);
}

export const DELIVERY_STATES = ["pending", "sent", "failed"] as const;
