import { seededRandom } from "#server/kernel/random.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { TimeSpread } from "../types.ts";

/**
 * The chance that a run ends after its deadline: the share of SAMPLES runs that do. Each sample draws a start, a length and its own
 * interruptions. All draws are evenly spread and repeatable, so that the same quote has the same chance.
 */
const SAMPLES = 1_000;
/** A sample with this many interruptions counts as never finished. */
const INTERRUPTIONS_MAX = 32;
/** Standard normal quantile at 0.9. */
const NORMAL_P90 = 1.2816;

/** One possible way for a job to run, ms from now. */
export interface RiskyRun {
	/** Time until it starts, taken as log-normal, because errors of waits are ratios (forecast/calibrate.ts). */
	start: TimeSpread;
	/** The remaining work at this quantile of similar runs. */
	workMsAt: (share: number) => number;
	/** Interruptions per hour of all its instances together; 0 at home and on firm capacity. */
	interruptionsPerHour: number;
	/** Longest work between two checkpoints; null: restarts from the beginning. */
	checkpointEveryMs: number | null;
	/** From an interruption until work continues. */
	changeoverMs: number;
}

/** @param leftMs time until the deadline; below 0 it has passed. */
export function missShare(run: RiskyRun, leftMs: number): number {
	let missed = 0;
	for (let i = 0; i < SAMPLES; i++) if (finishOf(run, i) > leftMs) missed++;
	return missed / SAMPLES;
}

/** The quantile of a log-normal distribution with a known median and P90. */
export function logNormalAt({ p50Ms, p90Ms }: TimeSpread, share: number): number {
	if (p50Ms <= 0 || p90Ms <= p50Ms) return share > 0.5 ? Math.max(p50Ms, p90Ms) : p50Ms;
	return p50Ms * Math.exp((Math.log(p90Ms / p50Ms) / NORMAL_P90) * normalAt(share));
}

function finishOf(run: RiskyRun, i: number): number {
	const startMs = logNormalAt(run.start, (i + 0.5) / SAMPLES);
	const workMs = run.workMsAt(evenly(i));
	return startMs + (run.interruptionsPerHour > 0 ? withInterruptions(run, workMs, i) : workMs);
}

/** Runs until finished: each interruption loses the unsaved work and adds the changeover to the next machine. */
function withInterruptions({ interruptionsPerHour, checkpointEveryMs, changeoverMs }: RiskyRun, workMs: number, i: number): number {
	const meanMs = HOUR_MS / interruptionsPerHour;
	let [takenMs, leftMs] = [0, workMs];
	for (let k = 0; k < INTERRUPTIONS_MAX; k++) {
		const untilMs = (exponentials()[i * INTERRUPTIONS_MAX + k] ?? 0) * meanMs;
		if (untilMs >= leftMs) return takenMs + leftMs;
		const savedMs = checkpointEveryMs === null || checkpointEveryMs <= 0 ? 0 : Math.floor(untilMs / checkpointEveryMs) * checkpointEveryMs;
		leftMs -= savedMs;
		takenMs += untilMs + changeoverMs;
	}
	return Number.POSITIVE_INFINITY;
}

/** The i-th share of a sequence that fills (0, 1) evenly, paired with a uniform first coordinate (van der Corput's, base 2). */
function evenly(i: number): number {
	let [share, part] = [0, 0.5];
	for (let rest = i; rest > 0; rest >>= 1) {
		if (rest & 1) share += part;
		part /= 2;
	}
	return share + 0.5 / SAMPLES;
}

let drawn: Float64Array | null = null;

/** Exponential times of mean 1, the same for every run. */
function exponentials(): Float64Array {
	if (drawn) return drawn;
	const random = seededRandom("deadline risk");
	drawn = Float64Array.from({ length: SAMPLES * INTERRUPTIONS_MAX }, () => -Math.log(1 - random.next()));
	return drawn;
}

/** Standard normal quantile (Acklam's rational approximation; relative error below 1.2e-9). */
export function normalAt(share: number): number {
	if (share < TAIL) return -tailAt(Math.sqrt(-2 * Math.log(share)));
	if (share > 1 - TAIL) return tailAt(Math.sqrt(-2 * Math.log(1 - share)));
	const q = share - 0.5;
	const r = q * q;
	return (q * polynomial(CENTRE, r)) / polynomial(CENTRE_BELOW, r);
}

function tailAt(q: number): number {
	return -polynomial(TAILS, q) / polynomial(TAILS_BELOW, q);
}

function polynomial(coefficients: readonly number[], x: number): number {
	return coefficients.reduce((sum, c) => sum * x + c, 0);
}

const TAIL = 0.02425;
const CENTRE = [-39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239];
const CENTRE_BELOW = [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1];
const TAILS = [-0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968, 2.938163982698783];
const TAILS_BELOW = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1];
