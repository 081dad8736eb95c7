import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";

/** Every constant of the decision core, with its unit and rationale. docs/decisions.md explains them to users. */
export const LIMITS = {
	/** A wait of this length adds one point of priority, so that no job starves: priority 0 passes a new 100 after 100 hours. */
	ageingMsPerPoint: HOUR_MS,

	/**
	 * A job with less than this between its late end and its deadline counts as having waited for urgentPoints hours: it comes before any
	 * priority that has not waited as long.
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
	 * An attempt past its P90 is expected to run on for this share of the time that it already ran. Both are quantiles of a Pareto tail with
	 * exponent 3.1: 2^(1/3.1) − 1 = 0.25 and 10^(1/3.1) − 1 = 1.1. An assumption until the tail is measured.
	 */
	overrunShareP50: 0.25,
	overrunShareP90: 1.1,
	/** Minimum forecast of a remaining time. */
	minRestMs: SECOND_MS,

	/** From SIGTERM to SIGKILL: time to checkpoint. AWS gives 2 minutes between a spot notice and the end. */
	stopGraceMs: 2 * MINUTE_MS,
	/** Longest boot and staging included in an instance's life when recent launches were faster. */
	bootAllowanceMs: 10 * MINUTE_MS,
	/** Longest life of an instance when neither the policy nor the job sets one. */
	defaultLifeMs: DAY_MS,
	/** Time from the end of an instance's life to the provider's last billed second; held in addition to the life. */
	terminationMarginMs: 5 * MINUTE_MS,

	/** Gaps kept of one node's forecast. Beyond that the latest is forgotten, which makes forecasts later, never earlier. */
	timelineGaps: 16,
	/** Most job kinds cached between cycles. */
	keptShapes: 2000,
	/**
	 * The prior for an offer before our own launches provide data, and its strength. One spot interruption in 10 instance hours,
	 * counted as 10 observed hours. An assumption between two sources: AWS Spot Advisor's buckets (5 to over 20 percent of instances
	 * in a month) and the GPU spot traces of "Can't Be Late" (NSDI '24: a zone's spot lasts 1.5 to 6 hours). On-demand and reserved
	 * capacity are not reclaimed.
	 */
	priorSpotInterruptionsPerHour: 0.1,
	priorInstanceHours: 10,
	/** Half-life of observed hours and interruptions. An assumption: a market's week. */
	interruptionHalfLifeMs: 7 * DAY_MS,
	/** Prior count of recent successful launches. */
	priorLaunches: 1,
	/** Half-life of launches and refusals: capacity that was short is soon worth another try. An assumption. */
	refusalHalfLifeMs: 10 * MINUTE_MS,
	/** Expected time cost of one refused launch: the call, and the minimum pause before the next. An assumption. */
	refusedLaunchMs: 2 * MINUTE_MS,
	/** Shortest and longest pause between two calls to an offer that refused; it doubles with each refusal that still counts. */
	refusalPauseMs: MINUTE_MS,
	refusalPauseMaxMs: 30 * MINUTE_MS,
	/** Repeated requests per hour by one job to capacity that refused it; a provider throttles more. Chosen like an API's own rate limit. */
	repeatedAsksPerHour: 2,
	/**
	 * Unavailable spot is requested again after half the time it has been unavailable: its return rate falls with age, so each
	 * request then has about the same chance. Bounds: the shortest outage worth a request, and less than SPOT.lookGapMs, so that
	 * no outage counts as two. Assumptions; a probe of the recordings lasts 3 to 10 minutes.
	 */
	askAgainLeastMs: 10 * MINUTE_MS,
	askAgainMostMs: 45 * MINUTE_MS,
	/** Rates are recomputed at this interval. Within a step they are constant, so that they need not be computed for each job. */
	rateStepMs: MINUTE_MS,
	/** Minimum machine time that copying data ahead of a launch must save, ms. An assumption. */
	copyAheadLeastMs: 2 * MINUTE_MS,
	/**
	 * How long a site must be silent before critical work leaves it. A restarted server or a timed-out call has recovered by then, and
	 * leaving costs unsaved work. An assumption.
	 */
	failoverAfterMs: 30 * SECOND_MS,
	/** From a started machine until work continues from its checkpoint, ms. An assumption: no restore is measured yet. */
	restoreMs: 3 * MINUTE_MS,
	/** Until a running machine without a job starts a command: its agent asks for work, and sets up the container. An assumption. */
	warmStartMs: 15 * SECOND_MS,
	/** From the start of a stopped machine until its agent runs, while no start is recorded. An assumption. */
	stoppedStartMs: { p50Ms: 90 * SECOND_MS, p90Ms: 3 * MINUTE_MS },
	/** Longest time in which a machine fetches images and data before it is stopped. An assumption. */
	prepareMs: 30 * MINUTE_MS,
	/** Longest time after that until it is stopped; then it is ended. An assumption. */
	stopMs: 10 * MINUTE_MS,
	/**
	 * Upper bounds: no more than this share of a run is expected to be lost, and a restart takes at most e to this power. Offers beyond these
	 * are no option anyway.
	 */
	maxLostShare: 0.9,
	maxRestartExponent: 5,

	/** Number of offers checked for an approval before the cheapest one's is reported. */
	approvalTries: 3,
	/** A cycle that decides more jobs than this lists fewer candidates for the rest: a rush must not cost seconds and gigabytes. */
	fullExplanations: 100,
	briefCandidates: 2,

	/**
	 * A running job is moved only when its next checkpoint is this near, because its reserved place is idle until then. An
	 * assumption.
	 */
	moveCheckpointWithinMs: 5 * MINUTE_MS,
	/** Most work that evicting a job for a newcomer may lose: the job has just saved its work. An assumption. */
	makeRoomLostMs: 105 * SECOND_MS,
	/** It must also have run at least this many times as long as its boot and restore elsewhere will take: 3% of its time. An assumption. */
	timesItsPause: 30,
	/** Other jobs must request a victim's surplus room within this time. An assumption. */
	roomFilledWithinMs: 2 * MINUTE_MS,
	/** An attempt that started less than this long ago is not moved to save money, to prevent moves in circles. An assumption. */
	moveMinRunMs: 10 * MINUTE_MS,
	/** Longest time until a running job with a deadline is decided again and the decision is applied: a stop's grace and more. */
	nextChoiceWithinMs: 5 * MINUTE_MS,
} as const;
