import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";

/** Every constant of the decision core, with its unit and why it has this value. docs/decisions.md explains them to users. */
export const LIMITS = {
	/** Waiting this long adds one point of priority, so that no job starves: priority 0 passes a new 100 after 100 hours. */
	ageingMsPerPoint: HOUR_MS,

	/**
	 * A job with less than this between its late end and its deadline counts as having waited for urgentPoints hours:
	 * it comes before any priority that has not waited as long.
	 */
	urgentSlackMs: HOUR_MS,
	urgentPoints: 100,
	/** A team that uses none of its share gains this many points; one that uses twice its share loses as many. */
	sharePoints: 40,

	/** With fewer samples than this a duration statistic is less reliable than the person's own estimate. */
	minDurationSamples: 3,
	/** Run time of an unknown job: no estimate, no maximum, no history of its team. An assumption. */
	defaultRunMs: HOUR_MS,
	/** P90 ÷ P50 of a run time when no history gives the spread of the team's runs. An assumption. */
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
	/** Kinds of jobs that are kept apart between cycles. */
	keptShapes: 2000,
	/**
	 * The prior for an offer before our own launches provide data, and its strength. One spot interruption in 10 instance hours,
	 * counted as 10 observed hours. An assumption between two sources: AWS Spot Advisor's buckets (5 to over 20 percent of instances
	 * in a month) and the GPU spot traces of "Can't Be Late" (NSDI '24: a zone's spot lasts 1.5 to 6 hours). On-demand and reserved
	 * capacity are not reclaimed.
	 */
	priorSpotInterruptionsPerHour: 0.1,
	priorInstanceHours: 10,
	/** Hours and interruptions seen count half after this long. An assumption: a market's week. */
	interruptionHalfLifeMs: 7 * DAY_MS,
	/** Prior count of recent successful launches. */
	priorLaunches: 1,
	/** Launches and refusals count half after this long: capacity that was short is soon worth another try. An assumption. */
	refusalHalfLifeMs: 10 * MINUTE_MS,
	/** Expected time that one refused launch costs: the call, and the least pause before the next. An assumption. */
	refusedLaunchMs: 2 * MINUTE_MS,
	/** Shortest and longest pause between two calls to an offer that refused; it doubles with each refusal that still counts. */
	refusalPauseMs: MINUTE_MS,
	refusalPauseMaxMs: 30 * MINUTE_MS,
	/** Asks of one job for capacity that refused it within the hour: a provider throttles more. As an administrator of an API sets it. */
	repeatedAsksPerHour: 2,
	/**
	 * Unavailable spot is requested again after half the time it has been unavailable: its return rate falls with age, so each
	 * request then has about the same chance. Bounds: the shortest outage worth a request, and less than SPOT.lookGapMs, so that
	 * no outage counts as two. Assumptions; a probe of the recordings lasts 3 to 10 minutes.
	 */
	askAgainLeastMs: 10 * MINUTE_MS,
	askAgainMostMs: 45 * MINUTE_MS,
	/** Rates are read so often; within a step they are still, so that they need not be worked out for each job. */
	rateStepMs: MINUTE_MS,
	/** Data are copied ahead of a launch when that takes at least so much off the machine's time, ms. An assumption. */
	copyAheadLeastMs: 2 * MINUTE_MS,
	/**
	 * A site must have been silent for so long before critical work leaves it: a server that was restarted, or one call that timed out,
	 * is back by then, and leaving costs what was not saved. An assumption.
	 */
	failoverAfterMs: 30 * SECOND_MS,
	/** From a started machine until work continues from its checkpoint, ms. An assumption: no restore is measured yet. */
	restoreMs: 3 * MINUTE_MS,
	/**
	 * More than this share of a run is not expected to be lost, and no longer a restart than e to this power: such an offer is out of
	 * the question anyway.
	 */
	maxLostShare: 0.9,
	maxRestartExponent: 5,

	/** Number of offers checked for an approval before the cheapest one's is reported. */
	approvalTries: 3,
	/** A cycle that decides more jobs than this at once lists fewer candidates for the rest: a rush must not cost seconds and gigabytes. */
	fullExplanations: 100,
	briefCandidates: 2,

	/**
	 * A running job is moved only when its next checkpoint is this near, because its reserved place is idle until then. An
	 * assumption.
	 */
	moveCheckpointWithinMs: 5 * MINUTE_MS,
	/** A newcomer takes the place of a job that has lost at most this by leaving: it saved its work just now. An assumption. */
	makeRoomLostMs: 105 * SECOND_MS,
	/** ... and has run at least so many times as long as its boot and restore elsewhere will take: 3% of its time. An assumption. */
	timesItsPause: 30,
	/** Other jobs must request a victim's surplus room within this time. An assumption. */
	roomFilledWithinMs: 2 * MINUTE_MS,
	/**
	 * An attempt that started less than this long ago is not moved to save money, so that work does not move in circles. An
	 * assumption.
	 */
	moveMinRunMs: 10 * MINUTE_MS,
	/**
	 * Longest time until a running job with a deadline is decided again and the decision is carried out: a stop's grace and more.
	 */
	nextChoiceWithinMs: 5 * MINUTE_MS,
} as const;
