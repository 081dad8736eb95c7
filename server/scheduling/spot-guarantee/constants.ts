import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";

/**
 * Lower bounds of the ages by which runs are counted, ms; the last has no upper bound. Doubling, because run lengths span four orders of
 * magnitude.
 */
export const AGE_EDGES_MS: readonly number[] = [0, 10, 20, 40, 80, 160, 320, 640].map((minutes) => minutes * MINUTE_MS);
export const AGES = AGE_EDGES_MS.length;

/** Every constant of the rule for deadlines on spot, with its unit and rationale. docs/spot.md explains them. */
export const SPOT = {
	/** Prior: a run of age a ends at 1 / (a + this) per hour, so the longer it has lasted, the longer it will last. An assumption. */
	priorAgeHours: 0.5,
	/** Weight of the prior as a number of observed endings, at each age. An assumption; from 1 to 10 the bench changes by 0.6%. */
	priorEnds: 3,
	/** Half-life of counts. An assumption: a market's month. */
	halfLifeMs: 30 * DAY_MS,
	/**
	 * Observations further apart than this are no evidence about the time between them: twice the longest pause between two calls to an offer
	 * that refused.
	 */
	lookGapMs: HOUR_MS,
	/**
	 * Assumed age of the run of a zone that was not seen to come up. Without recent observations the only assumption is that spot usually
	 * lasts: at this age the prior is 0.1 ends per hour, the same as for an instance (LIMITS). An assumption.
	 */
	unseenAgeMs: 6 * HOUR_MS,
	/**
	 * Share of the slack used to plan waiting and changeovers. Availability drifts from day to day, which the model ignores, so slack kept in
	 * reserve is worth more than the model shows. An assumption, set on the mean of five recorded traces: from 0.5 to 0.8 it differs by 0.4%,
	 * and with 1 the cost is 1.4% higher.
	 */
	plannedSlackShare: 0.65,
	/** Mean time until returned spot is found, when each request may be refused: half the time between two requests that a job may make. */
	lookDelayMs: 15 * MINUTE_MS,
	/**
	 * Share of the runs that can still meet their deadline and that the guarantee covers, if history provides their lengths. Chosen on
	 * philly_chronus_mix2 (docs/spot.md has the figures for other shares and seeds).
	 */
	coveredShare: 0.99,
	/**
	 * The same share when only a median and a P90 are known. The tail of such a log-normal is an assumption, and covering it would send every
	 * job to firm capacity immediately. Chosen on the SkyNomad windows with an estimate alone.
	 */
	coveredShareOfEstimate: 0.9,
	/**
	 * If a smaller share of the runs than this can still meet the deadline on firm capacity, the deadline counts as lost: by history, and by
	 * an estimate. Assumptions.
	 */
	lostShare: 0.002,
	lostShareOfEstimate: 0.02,
	/**
	 * Cells of a value table along work and along slack; their steps are never shorter than 8 and 2 changeovers. The bench hardly needs so
	 * many along slack, but if time has a price, waiting is costed by the step.
	 */
	workCells: 48,
	slackCells: 96,
	/** Rounding of price ratios, and of the chances that another zone is up, for the tables. */
	ratioStep: 0.02,
	/** Most cached value tables, about 1.5 MB each: as many as one moment of the market needs for jobs of all lengths. */
	tables: 40,
	/**
	 * Minimum expected savings of waiting, in firm capacity's time; otherwise work continues immediately and ends sooner for the
	 * same money.
	 */
	waitSavesMs: MINUTE_MS / 2,
	/** Prices closer than this share count as equal. */
	samePriceShare: 0.001,
} as const;
