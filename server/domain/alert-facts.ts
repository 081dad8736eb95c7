import type { AlertRule } from "./alert.ts";

/** Money as decimal strings of micro-dollars, times as UTC ms: exact in JSON, and ready for sentences. */
export type AlertFactValues = Record<string, string | number | null>;

/** A condition that holds now and needs attention. Rule and subject identify it: at most one alert of each is open at a time. */
export interface AlertFinding {
	rule: AlertRule;
	subject: string;
	/** The team to notify; null: everyone. */
	team: string | null;
	facts: AlertFactValues;
}

/** A budget in its current period. */
export interface AlertBudget {
	id: string;
	/** The only team in its scope; null for several teams or when unknown. */
	team: string | null;
	periodKey: string;
	periodEndMs: number;
	capMicroUsd: bigint;
	postedMicroUsd: bigint;
	heldMicroUsd: bigint;
	forecast: { lowMicroUsd: bigint; expectedMicroUsd: bigint; highMicroUsd: bigint } | null;
}

/** A team's spend on one day, compared with the same weekday in earlier weeks. */
export interface AlertTeamDay {
	team: string;
	/** First instant of the day, and its date, e.g. `2026-11-19`. */
	dayStartMs: number;
	dayKey: string;
	microUsd: bigint;
	/** Ledger cost of each earlier same weekday, one per week; days before the team's first charge are left out. */
	usualMicroUsd: readonly bigint[];
}

export interface AlertRisk {
	instanceId: string;
	jobId: string;
	team: string;
	why: "not_seen_gone" | "cut_off" | "launch_unclear" | "past_expiry";
	sinceMs: number;
	microUsd: bigint;
}

export interface AlertStray {
	providerInstanceId: string;
	region: string;
	instanceType: string;
	sinceMs: number;
	/** What similar machines cost there; null: unknown. Absent when the instance no longer exists. */
	microUsdPerHour?: bigint | null;
}

/** Unresolved findings of the latest sweep of a cloud site. */
export interface AlertSweep {
	siteId: string;
	/** Machines with our tag but without a row, until a few minutes after they were seen terminated. */
	strays: readonly AlertStray[];
	/** Regions that have been unreadable too long for a transient fault. */
	unread: readonly { region: string; message: string; sinceMs: number }[];
}

/** A site that has been unresponsive too long for a transient fault. */
export interface AlertSite {
	siteId: string;
	sinceMs: number;
	message: string | null;
}

export interface AlertStuckJob {
	jobId: string;
	name: string;
	team: string;
	/** `held`: held without progress; otherwise the state of its attempt since then. */
	why: "held" | "starting" | "staging" | "stopping";
	sinceMs: number;
}

/** Something that expires at a known time and that a person must renew. */
export interface Expiry {
	/** `token:<id>`, `site:<id>/<what>` or `url:<host>`. */
	subject: string;
	what: "token" | "credential" | "certificate";
	/** Display name. */
	name: string;
	/** Null if unknown. */
	startsAtMs: number | null;
	expiresAtMs: number;
}

/** What blocks a month from being closed on its day. */
export interface AlertMissingRate {
	/** e.g. `2026-11`. */
	month: string;
	/** ISO 4217 code. */
	currency: string;
	/** The first day without a rate, e.g. `2026-11-03`. */
	day: string;
}

/** Input of an evaluation. */
export interface AlertFacts {
	settings: AlertRules;
	budgets: readonly AlertBudget[];
	/** Yesterday and today of each team. */
	teamDays: readonly AlertTeamDay[];
	risk: readonly AlertRisk[];
	sweeps: readonly AlertSweep[];
	sites: readonly AlertSite[];
	stuck: readonly AlertStuckJob[];
	/** Expiring soon, or already expired. */
	expiring: readonly Expiry[];
	/** null: no month is waiting for rates. */
	missingRate: AlertMissingRate | null;
}

export interface AlertRules {
	/** Shares of the cap that trigger a notification, percent, e.g. [50, 80, 100]. */
	thresholdsPercent: readonly number[];
	/** A daily excess below this is never an anomaly, however steady the team's spend was. */
	anomalyFloorMicroUsd: bigint;
}
