/** What an alert can be about; each has its sentence in server/domain/alert-sentences.ts. */
export const ALERT_RULES = [
	/** Posted money passed a share of a budget's cap. */
	"budget_threshold",
	/** The forecast to the period's end passes the cap. */
	"budget_forecast_overrun",
	/** A team's day is far from its own pattern. */
	"spend_anomaly",
	/** An instance that should have ended was not yet seen to end. */
	"money_at_risk",
	/** A provider billed for something with our tag, or of our kind, that we do not know. */
	"billed_unknown",
	/** Rollups differ from the charges that they sum. */
	"ledger_mismatch",
	/** The scheduler's check found a break in the audit's hash chain. */
	"audit_chain_broken",
	/** A rule asks a person before a job may leave home. */
	"approval_waiting",
	/** A result could not be delivered to the place that its job names. */
	"delivery_failing",
	/** A site does not respond. */
	"site_unhealthy",
	/** No scheduler leads, so nothing is placed, metered or terminated. Web servers find it. */
	"no_leader",
	/** A job makes no progress and nothing that Spillway does will change that. */
	"job_stuck",
	/** Lost machines in a region or site cannot be found. */
	"sweep_failing",
	/** A credential or certificate ends soon. */
	"credential_expiring",
	/** A month cannot be closed on its day: an exchange rate is missing. */
	"rates_missing",
] as const;
export type AlertRule = (typeof ALERT_RULES)[number];

/** Events of jobs and pipelines that a channel can receive; those of a job in a pipeline are left to the pipeline. */
export const WORK_TOPICS = ["work_finished", "work_failed", "work_over_forecast", "work_reclaimed"] as const;
export type WorkTopic = (typeof WORK_TOPICS)[number];

/** What a channel receives unless its topics are chosen: every alert, and statements when they are closed. */
export const DEFAULT_TOPICS = [...ALERT_RULES, "statement"] as const;

/** What a channel can receive. */
export const CHANNEL_TOPICS = [...DEFAULT_TOPICS, ...WORK_TOPICS] as const;
export type ChannelTopic = (typeof CHANNEL_TOPICS)[number];

export const CHANNEL_KINDS = ["email", "slack", "webhook", "cloudevents"] as const;

/** Channels with a key that signs their messages. */
export const SIGNED_KINDS = ["webhook", "cloudevents"] as const satisfies readonly (typeof CHANNEL_KINDS)[number][];

export function isSigned(kind: (typeof CHANNEL_KINDS)[number]): boolean {
	return (SIGNED_KINDS as readonly string[]).includes(kind);
}

export const DELIVERY_STATES = ["pending", "sent", "failed"] as const;
