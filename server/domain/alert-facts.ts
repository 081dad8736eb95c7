import type { AlertRule } from "./alert.ts";

/** Money as decimal strings of micro-dollars, times as UTC ms: exact in JSON, and what sentences read. */
export type AlertFactValues = Record<string, string | number | null>;

/** Something that holds now and that people must hear of. Rule and subject name it: one of each is open at a time. */
export interface AlertFinding {
	rule: AlertRule;
	subject: string;
	/** The team that is notified; null: everyone. */
	team: string | null;
	facts: AlertFactValues;
}

/** A budget in its current period. */
export interface AlertBudget {
	id: string;
	/** The one team that its scope is about; null for several teams or when unknown. */
	team: string | null;
	periodKey: string;
	periodEndMs: number;
	capMicroUsd: bigint;
	postedMicroUsd: bigint;
	heldMicroUsd: bigint;
	forecast: { lowMicroUsd: bigint; expectedMicroUsd: bigint; highMicroUsd: bigint } | null;
}

/** A team's spend of one day beside the same weekday of the weeks before. */
export interface AlertTeamDay {
	team: string;
	/** First instant of the day, and its date, e.g. `2026-11-19`. */
	dayStartMs: number;
	dayKey: string;
	microUsd: bigint;
	/** What each earlier same weekday cost, one a week, the ledger's own figures; days before the team's first charge are left out. */
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
	/** What machines like it cost there; null: not known. Left out of one that no longer exists by now. */
	microUsdPerHour?: bigint | null;
}

/** What the newest sweep of a cloud site left to worry about. */
export interface AlertSweep {
	siteId: string;
	/** Machines with our tag and without a row, until some minutes after they were seen gone. */
	strays: readonly AlertStray[];
	/** Regions that could not be read for so long that it is no passing fault. */
	unread: readonly { region: string; message: string; sinceMs: number }[];
}

/** A site that has not responded for so long that it is no passing fault. */
export interface AlertSite {
	siteId: string;
	sinceMs: number;
	message: string | null;
}

export interface AlertStuckJob {
	jobId: string;
	name: string;
	team: string;
	/** `held`: held without progress; otherwise the state that its attempt has been in since then. */
	why: "held" | "starting" | "staging" | "stopping";
	sinceMs: number;
}

/** Something that ends at a known time and must be renewed by a person. */
export interface Expiry {
	/** `token:<id>`, `site:<id>/<what>` or `url:<host>`. */
	subject: string;
	what: "token" | "credential" | "certificate";
	/** Its name for people. */
	name: string;
	/** Null if unknown. */
	startsAtMs: number | null;
	expiresAtMs: number;
}

/** What keeps a month from being closed on its day. */
export interface AlertMissingRate {
	/** e.g. `2026-11`. */
	month: string;
	/** ISO 4217 code. */
	currency: string;
	/** The first day without a rate, e.g. `2026-11-03`. */
	day: string;
}

/** What an evaluation knows. */
export interface AlertFacts {
	settings: AlertRules;
	budgets: readonly AlertBudget[];
	/** Yesterday and today of each team. */
	teamDays: readonly AlertTeamDay[];
	risk: readonly AlertRisk[];
	sweeps: readonly AlertSweep[];
	sites: readonly AlertSite[];
	stuck: readonly AlertStuckJob[];
	/** Soon, or already over. */
	expiring: readonly Expiry[];
	/** null: no month waits for rates. */
	missingRate: AlertMissingRate | null;
}

export interface AlertRules {
	/** Shares of the cap that notify people, percent, e.g. [50, 80, 100]. */
	thresholdsPercent: readonly number[];
	/** A day's excess below this is never an anomaly, however steady the team was. */
	anomalyFloorMicroUsd: bigint;
}
