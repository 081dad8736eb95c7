import { plural } from "../sentence-facts.ts";

/** When trials of a sweep are stopped before their end. */
export interface StopRule {
	metric: string;
	goal: "minimize" | "maximize";
	/**
	 * `median`: stops a trial with a best value so far worse than the median that the others had reached at the same
	 * step. `halving`: at steps `warmup`, `warmup` × `reduction`, … only the best 1/`reduction` of the trials that got
	 * there continue.
	 */
	rule: "median" | "halving" | "none";
	/** First step at which a trial may be stopped. */
	warmup: number;
	reduction: number;
	/** The sweep ends as soon as one trial reaches this value. */
	target: number | null;
}

/** A trial and its metric by step. */
export interface Trial {
	index: number;
	/** Only running trials are stopped; ended ones serve for comparison. */
	isRunning: boolean;
	points: readonly { step: number; value: number }[];
}

export interface TrialStop {
	index: number;
	why: string;
}

/** Minimum number of other trials for a median. */
const LEAST_PEERS = 3;

/** Trials to stop now. Deterministic for the same points. Cost: trials × points. */
export function decideStops(rule: StopRule, trials: readonly Trial[]): { stops: TrialStop[]; reached: TrialStop | null } {
	const sign = rule.goal === "minimize" ? 1 : -1;
	const curves = trials.map((trial) => ({ trial, best: bestSoFar(trial.points, sign) }));
	const reached = rule.target === null ? null : firstAtTarget(curves, rule, sign);
	if (reached) return { stops: [], reached };
	if (rule.rule === "none") return { stops: [], reached: null };
	const stops = curves.flatMap((curve) => {
		if (!curve.trial.isRunning) return [];
		const why = rule.rule === "median" ? whyBelowMedian(rule, curve, curves, sign) : whyNotPromoted(rule, curve, curves, sign);
		return why === null ? [] : [{ index: curve.trial.index, why }];
	});
	return { stops, reached: null };
}

interface Curve {
	trial: Trial;
	/** Best signed value up to each step, ordered by step; smaller is better. */
	best: { step: number; value: number }[];
}

function bestSoFar(points: Trial["points"], sign: number): Curve["best"] {
	let best = Number.POSITIVE_INFINITY;
	return [...points]
		.filter(({ value }) => Number.isFinite(value))
		.sort((a, b) => a.step - b.step)
		.map(({ step, value }) => {
			best = Math.min(best, sign * value);
			return { step, value: best };
		});
}

/** Best value up to that step; null before the first point. */
function valueAt({ best }: Curve, step: number): number | null {
	let found: number | null = null;
	for (const point of best) {
		if (point.step > step) break;
		found = point.value;
	}
	return found;
}

function lastStep({ best }: Curve): number {
	return best.at(-1)?.step ?? Number.NEGATIVE_INFINITY;
}

function whyBelowMedian({ metric, warmup }: StopRule, curve: Curve, all: readonly Curve[], sign: number): string | null {
	const step = lastStep(curve);
	const own = valueAt(curve, step);
	if (own === null || step < warmup) return null;
	const others = all.flatMap((other) => {
		if (other === curve || lastStep(other) < step) return [];
		return valueAt(other, step) ?? [];
	});
	if (others.length < LEAST_PEERS) return null;
	const median = medianOf(others);
	if (own <= median) return null;
	return `${metric} ${shown(own * sign)} at step ${step} is worse than the median ${shown(median * sign)} of ${plural(others.length, "trial")}`;
}

function whyNotPromoted({ metric, warmup, reduction }: StopRule, curve: Curve, all: readonly Curve[], sign: number): string | null {
	for (let rung = warmup; rung <= lastStep(curve); rung *= reduction) {
		const own = valueAt(curve, rung);
		if (own === null) continue;
		const there = all.flatMap((other) => (lastStep(other) < rung ? [] : (valueAt(other, rung) ?? []))).sort((a, b) => a - b);
		const kept = Math.floor(there.length / reduction);
		if (kept < 1) continue;
		const limit = there[kept - 1] ?? own;
		if (own > limit)
			return `${metric} ${shown(own * sign)} at step ${rung} is not among the best ${kept} of ${there.length}, which have ${shown(limit * sign)} or better`;
	}
	return null;
}

function firstAtTarget(curves: readonly Curve[], { metric, target }: StopRule, sign: number): TrialStop | null {
	for (const { trial, best } of curves) {
		const last = best.at(-1)?.value;
		if (last !== undefined && target !== null && last <= sign * target)
			return { index: trial.index, why: `another trial reached ${metric} ${shown(last * sign)}` };
	}
	return null;
}

function medianOf(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	const upper = sorted[middle] ?? 0;
	return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

function shown(value: number): string {
	return String(Number(value.toPrecision(4)));
}
