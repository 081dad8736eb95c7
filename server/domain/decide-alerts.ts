import type { AlertRule } from "./alert.ts";
import type { AlertBudget, AlertFacts, AlertFinding, AlertRisk, AlertRules, AlertSweep, AlertTeamDay } from "./alert-facts.ts";

/** Rules decided here. Other rules are opened and closed by the code that detects them. */
export const DECIDED_RULES = [
	"budget_threshold",
	"budget_forecast_overrun",
	"spend_anomaly",
	"money_at_risk",
	"site_unhealthy",
	// Only the leader evaluates, so while this runs there is one.
	"no_leader",
	"job_stuck",
	"sweep_failing",
	"credential_expiring",
	"rates_missing",
] as const satisfies readonly AlertRule[];

export interface OpenAlert {
	id: string;
	rule: AlertRule;
	subject: string;
}

export interface AlertDecision {
	open: AlertFinding[];
	/** Ids of open alerts that no longer hold. */
	close: string[];
}

/** A reported overrun closes only when the forecast is this far under the cap, so that it does not open and close daily. */
const OVERRUN_CLEAR_PERCENT = 95n;
/** Same weekdays required for a pattern, one per week. */
export const ANOMALY_WEEKS_MIN = 4;
/** How many median absolute deviations above the median count as an anomaly. */
export const ANOMALY_DEVIATIONS = 4n;

/**
 * Alerts to open and close, given current facts and open alerts. Deterministic, and an open alert never opens again.
 * If several thresholds are passed at the same time, only the highest is reported.
 */
export function decideAlerts(facts: AlertFacts, openNow: readonly OpenAlert[]): AlertDecision {
	const openKeys = new Set(openNow.map(keyOf));
	const holding = [
		...facts.budgets.flatMap((b) => passedThresholds(b, facts.settings)),
		...facts.budgets.flatMap((b) => overrun(b, openKeys)),
		...facts.teamDays.flatMap((d) => anomaly(d, facts.settings)),
		...facts.risk.map(atRisk),
		...facts.sweeps.flatMap(unaccounted),
		...platformFindings(facts),
		...missingRate(facts),
	];
	const holds = new Set(holding.map(keyOf));
	const decided: readonly AlertRule[] = DECIDED_RULES;
	return {
		open: holding.filter((f) => !openKeys.has(keyOf(f)) && !isOlderNews(f, holding)),
		close: openNow.filter((a) => decided.includes(a.rule) && !holds.has(keyOf(a))).map((a) => a.id),
	};
}

const keyOf = ({ rule, subject }: { rule: string; subject: string }) => `${rule} ${subject}`;

function passedThresholds(b: AlertBudget, { thresholdsPercent }: AlertRules): AlertFinding[] {
	return thresholdsPercent
		.filter((percent) => b.postedMicroUsd > 0n && b.postedMicroUsd * 100n >= b.capMicroUsd * BigInt(percent))
		.map((percent) => ({
			rule: "budget_threshold",
			subject: `${b.id}/${b.periodKey}/${percent}`,
			team: b.team,
			facts: { ...budgetFacts(b), thresholdPercent: percent, heldMicroUsd: b.heldMicroUsd.toString() },
		}));
}

/** A lower threshold of the same budget and period. */
function isOlderNews(finding: AlertFinding, holding: readonly AlertFinding[]): boolean {
	if (finding.rule !== "budget_threshold") return false;
	const { budgetId, periodKey, thresholdPercent } = finding.facts;
	return holding.some(
		({ rule, facts }) =>
			rule === "budget_threshold" &&
			facts.budgetId === budgetId &&
			facts.periodKey === periodKey &&
			Number(facts.thresholdPercent) > Number(thresholdPercent),
	);
}

function overrun(b: AlertBudget, openKeys: ReadonlySet<string>): AlertFinding[] {
	if (!b.forecast) return [];
	const { lowMicroUsd, expectedMicroUsd, highMicroUsd } = b.forecast;
	const finding: AlertFinding = {
		rule: "budget_forecast_overrun",
		subject: `${b.id}/${b.periodKey}`,
		team: b.team,
		facts: {
			...budgetFacts(b),
			lowMicroUsd: lowMicroUsd.toString(),
			expectedMicroUsd: expectedMicroUsd.toString(),
			highMicroUsd: highMicroUsd.toString(),
			overMicroUsd: (expectedMicroUsd - b.capMicroUsd).toString(),
			certain: lowMicroUsd > b.capMicroUsd ? "yes" : "no",
		},
	};
	const bar = openKeys.has(keyOf(finding)) ? (b.capMicroUsd * OVERRUN_CLEAR_PERCENT) / 100n : b.capMicroUsd;
	return expectedMicroUsd > bar ? [finding] : [];
}

function budgetFacts(b: AlertBudget) {
	return {
		budgetId: b.id,
		periodKey: b.periodKey,
		periodEndMs: b.periodEndMs,
		capMicroUsd: b.capMicroUsd.toString(),
		postedMicroUsd: b.postedMicroUsd.toString(),
	};
}

/**
 * A day is an anomaly when its spend is more than ANOMALY_DEVIATIONS median absolute deviations (MAD) above the median
 * of the same weekday, and above it by more than the floor. Median and MAD are robust to a few odd weeks: F. R.
 * Hampel, "The influence curve and its role in robust estimation", J. Am. Stat. Assoc. 69 (1974), 383-393.
 */
function anomaly(d: AlertTeamDay, { anomalyFloorMicroUsd }: AlertRules): AlertFinding[] {
	if (d.usualMicroUsd.length < ANOMALY_WEEKS_MIN) return [];
	const median = medianOf(d.usualMicroUsd);
	const deviation = medianOf(d.usualMicroUsd.map((v) => (v > median ? v - median : median - v)));
	const excess = d.microUsd - median;
	if (excess <= anomalyFloorMicroUsd || excess <= ANOMALY_DEVIATIONS * deviation) return [];
	return [
		{
			rule: "spend_anomaly",
			subject: `${d.team}/${d.dayKey}`,
			team: d.team,
			facts: {
				team: d.team,
				dayStartMs: d.dayStartMs,
				dayKey: d.dayKey,
				microUsd: d.microUsd.toString(),
				medianMicroUsd: median.toString(),
				deviationMicroUsd: deviation.toString(),
				weeks: d.usualMicroUsd.length,
			},
		},
	];
}

/** For an even count, the mean of the two middle values, rounded down to the micro-dollar. */
export function medianOf(values: readonly bigint[]): bigint {
	const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
	const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
	return low === undefined || high === undefined ? 0n : (low + high) / 2n;
}

function atRisk(r: AlertRisk): AlertFinding {
	return {
		rule: "money_at_risk",
		subject: r.instanceId,
		team: r.team,
		facts: { instanceId: r.instanceId, jobId: r.jobId, why: r.why, sinceMs: r.sinceMs, microUsd: r.microUsd.toString() },
	};
}

function priceFacts(microUsdPerHour: bigint | null | undefined): AlertFinding["facts"] {
	if (microUsdPerHour === undefined) return {};
	return microUsdPerHour === null ? { price: "not_known" } : { hourlyMicroUsd: microUsdPerHour.toString() };
}

/** Machines without a row, and regions that may contain some. */
function unaccounted({ siteId, strays, unread }: AlertSweep): AlertFinding[] {
	return [
		...strays.map(({ providerInstanceId, microUsdPerHour, ...stray }): AlertFinding => {
			const facts = { siteId, why: "of_nobody", instanceId: providerInstanceId, ...stray, ...priceFacts(microUsdPerHour) };
			return { rule: "money_at_risk", subject: `${siteId}/${providerInstanceId}`, team: null, facts };
		}),
		...unread.map(
			(region): AlertFinding => ({
				rule: "sweep_failing",
				subject: `${siteId}/${region.region}`,
				team: null,
				facts: { siteId, ...region },
			}),
		),
	];
}

/** What the operators of the installation must act on. */
function platformFindings({ sites, stuck, expiring }: AlertFacts): AlertFinding[] {
	return [
		...sites.map((site): AlertFinding => ({ rule: "site_unhealthy", subject: site.siteId, team: null, facts: { ...site } })),
		...stuck.map(
			({ name, ...job }): AlertFinding => ({ rule: "job_stuck", subject: job.jobId, team: job.team, facts: { ...job, jobName: name } }),
		),
		...expiring.map(({ subject, ...expiry }): AlertFinding => ({ rule: "credential_expiring", subject, team: null, facts: { ...expiry } })),
	];
}

/** The day is part of the subject: if an import adds only some rates, the next missing day opens a new alert. */
function missingRate({ missingRate: missing }: AlertFacts): AlertFinding[] {
	if (!missing) return [];
	const { month, currency, day } = missing;
	return [{ rule: "rates_missing", subject: `${month}/${currency}/${day}`, team: null, facts: { month, currency, day } }];
}
