import type { SpeedSource } from "#server/domain/decision.ts";

/**
 * How fast accelerators run jobs, before any of the company's own runs are known: a multivariate normal distribution of the natural
 * logarithm of speed, relative to one common accelerator. server/rates/throughput.ts builds it from public measurements.
 */
export interface ThroughputPrior {
	accelerators: readonly string[];
	logMean: readonly number[];
	/** Row i, column j: the covariance of the errors of accelerators i and j across kinds of work. */
	covariance: readonly (readonly number[])[];
}

/** Speeds of one family of jobs on one accelerator, summarized. A family is a team's jobs of one name pattern and GPU count. */
export interface ThroughputStat {
	team: string;
	namePattern: string;
	/** history-keys.ts, gpuBucketOf. */
	gpus: number;
	/** Set when one user ran all of them. */
	user?: string;
	accelerator: string;
	/**
	 * `rate`: work done per hour, in one unit for the whole family. `duration`: whole runs per hour; their work differs from run to run.
	 */
	kind: "rate" | "duration";
	/** The unit of `rate`, if the family may report several: rates in different units are not compared. */
	unit?: string;
	runs: number;
	/** Mean of the natural logarithm of the speed. */
	meanLogRate: number;
	/** Sample variance of that logarithm; 0 for one run. */
	variance: number;
}

/** Speed data of a snapshot. */
export interface ThroughputView {
	/** A machine with a known speed: estimates and stored work are relative to a machine of speed 1. */
	anchor: { accelerator: string; speed: number };
	prior: ThroughputPrior;
	stats: readonly ThroughputStat[];
}

/** Speed of one job on one accelerator, relative to a machine of speed 1. */
export interface Speed {
	/** Natural logarithm of the median speed. */
	logMean: number;
	/** Its uncertainty relative to the accelerator with the best data for the family. */
	logSd: number;
	/** null: the anchor itself, which is exact. */
	source: SpeedSource | null;
	/** Number of the family's measured runs there. */
	runs: number;
}
