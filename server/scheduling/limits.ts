import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";

/** Every constant of the decision core, with its unit and why it has this value. docs/decisions.md explains them to users. */
export const LIMITS = {
	/** Waiting this long adds one point of priority, so that nothing starves: priority 0 passes a new 100 after 100 hours. */
	ageingMsPerPoint: HOUR_MS,

	/** A duration statistic with fewer samples than this says less than the person's own estimate. */
	minDurationSamples: 3,
	/** Run time of a job about which nothing is known: no estimate, no maximum, no history of its team. An assumption. */
	defaultRunMs: HOUR_MS,
	/** P90 ÷ P50 of a run time when no history says how far the team's runs spread. An assumption. */
	defaultSpread: 1.5,
	/**
	 * An attempt past its P90 runs on for this share of the time that it already ran. Both are the quantiles of a Pareto
	 * tail with exponent 3.1: 2^(1/3.1) − 1 = 0.25 and 10^(1/3.1) − 1 = 1.1. An assumption until the tail is measured.
	 */
	overrunShareP50: 0.25,
	overrunShareP90: 1.1,
	/** No remaining time is forecast shorter than this. */
	minRestMs: SECOND_MS,

	/** From SIGTERM to SIGKILL: time to checkpoint. AWS gives 2 minutes between a spot notice and the end. */
	stopGraceMs: 2 * MINUTE_MS,
	/** Longest boot and staging that an instance's life allows for, when recent launches were faster. */
	bootAllowanceMs: 10 * MINUTE_MS,
	/** Longest life of an instance when neither the policy nor the job sets one. */
	defaultLifeMs: DAY_MS,
	/** Between the end of an instance's life and the provider's last billed second; held on top of the life. */
	terminationMarginMs: 5 * MINUTE_MS,

	/** Gaps kept of one node's forecast; beyond that the latest is forgotten, which makes forecasts later, never earlier. */
	timelineGaps: 16,
	/** Offers that are asked for an approval before the cheapest one's is reported. */
	approvalTries: 3,
	/** A cycle that decides more jobs than this at once lists fewer candidates for the rest: a rush must not cost seconds and gigabytes. */
	fullExplanations: 100,
	briefCandidates: 2,
} as const;
