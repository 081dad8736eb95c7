import type { SpeedSource } from "#server/domain/decision.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { Snapshot, TimeSpread } from "../types.ts";
import { SpeedEstimator, type SpeedTraits, unknownSpeed } from "./estimate-speeds.ts";
import type { Speed, ThroughputView } from "./types.ts";

/** Standard normal quantile of 0.9. */
const Z90 = 1.2816;

/** One job's speed on one accelerator, as costs and times use it. */
export interface RunSpeed {
	/** Expected time ÷ time on a machine of speed 1. A slow surprise costs more than a fast one saves, so uncertainty lengthens it. */
	timeFactor: number;
	/** Natural logarithm of the median speed, and its standard deviation. */
	logMedian: number;
	/** 1 ÷ timeFactor, for display. */
	speed: number;
	logSd: number;
	source: SpeedSource | null;
	runs: number;
}

/** A job's speeds on all accelerators. */
export interface RunSpeeds {
	on: (accelerator: string) => RunSpeed;
	/** No accelerator has a lower time factor. */
	leastFactor: number;
}

const estimators = new WeakMap<ThroughputView, SpeedEstimator>();
const bySpeeds = new WeakMap<ReadonlyMap<string, Speed>, RunSpeeds>();
const bySpec = new WeakMap<ThroughputView, WeakMap<SpeedTraits, RunSpeeds>>();

/** Speeds of a job from the snapshot's statistics; null without any, when every machine has speed 1. */
export function runSpeedsOf(spec: JobSpec, { throughput }: Pick<Snapshot, "throughput">): RunSpeeds | null {
	return throughput ? speedsBy(throughput, spec) : null;
}

/** The same from a view alone. */
export function speedsBy(view: ThroughputView, job: SpeedTraits): RunSpeeds {
	let kept = bySpec.get(view);
	if (!kept) {
		kept = new WeakMap();
		bySpec.set(view, kept);
	}
	const known = kept.get(job);
	if (known) return known;
	const estimator = estimators.get(view) ?? new SpeedEstimator(view);
	estimators.set(view, estimator);
	const speeds = estimator.speedsOf(job);
	const fresh = bySpeeds.get(speeds) ?? makeRunSpeeds(speeds, unknownSpeed(view));
	bySpeeds.set(speeds, fresh);
	kept.set(job, fresh);
	return fresh;
}

function makeRunSpeeds(speeds: ReadonlyMap<string, Speed>, unknown: Speed): RunSpeeds {
	const byName = new Map([...speeds].map(([name, speed]) => [name, runSpeedOf(speed)]));
	const other = runSpeedOf(unknown);
	const leastFactor = [...byName.values(), other].reduce((least, s) => Math.min(least, s.timeFactor), Number.POSITIVE_INFINITY);
	return { on: (accelerator) => byName.get(accelerator) ?? other, leastFactor };
}

/** The mean of a log-normal time is its median × exp(variance ÷ 2). */
function runSpeedOf({ logMean, logSd, source, runs }: Speed): RunSpeed {
	const timeFactor = Math.exp(-logMean + logSd ** 2 / 2);
	return { timeFactor, logMedian: logMean, speed: 1 / timeFactor, logSd, source, runs };
}

/** Median speed of a job on an accelerator, used to measure stored work. */
export function medianSpeedOn(view: ThroughputView, job: SpeedTraits, accelerator: string): number {
	const { timeFactor, logSd } = speedsBy(view, job).on(accelerator);
	return Math.exp(logSd ** 2 / 2) / timeFactor;
}

/**
 * Wall-clock time of this much work at a speed: the expected time for P50; for P90 the spreads of the work and of the speed together, both
 * assumed log-normal and independent.
 */
export function timeAt(rest: TimeSpread, { timeFactor, logSd }: RunSpeed): TimeSpread {
	const p50Ms = rest.p50Ms * timeFactor;
	if (logSd === 0) return { p50Ms, p90Ms: rest.p90Ms * timeFactor };
	const workSd = Math.log(Math.max(1, rest.p90Ms / rest.p50Ms)) / Z90;
	const median = rest.p50Ms * timeFactor * Math.exp(-(logSd ** 2) / 2);
	return { p50Ms, p90Ms: Math.max(p50Ms, median * Math.exp(Z90 * Math.hypot(workSd, logSd))) };
}
