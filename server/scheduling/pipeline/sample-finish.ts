import type { TimeRange } from "#server/domain/decision.ts";
import type { InParts } from "#server/kernel/in-parts.ts";
import { normalAt } from "../quote/deadline-risk.ts";
import type { TimeSpread } from "../types.ts";

/** A time with a bound that no run passes, ms: the job's maximum, and the time around its command; infinite without one. */
export interface BoundedSpread extends TimeSpread {
	mostMs: number;
}

/** A step to be sampled. Times are ms. */
export interface SampledStep {
	needs: readonly number[];
	/** Number of jobs of the step. They start together unless `parallel` is smaller. */
	runs: number;
	wait: TimeSpread;
	run: BoundedSpread;
}

export interface SampledTimes {
	start: TimeRange;
	finish: TimeRange;
}

export interface SampledGraph {
	steps: SampledTimes[];
	finish: TimeRange;
	/** Share of samples that end after the deadline; null without one. */
	missShare: number | null;
}

const SAMPLES = 200;
const NORMAL_P90 = 1.2816;
/** Coprime with SAMPLES: walking a sequence in this stride visits every sample once. */
const STRIDES = [1, 3, 7, 9, 11, 13, 17, 19, 21, 23, 27, 29, 31, 33, 37, 39] as const;

const normals = Float64Array.from({ length: SAMPLES }, (_, i) => normalAt((i + 0.5) / SAMPLES));

/**
 * When each step starts and ends, from the distributions of its wait and its run. In each of SAMPLES futures a step starts when the last
 * step that it needs has ended. Waits and runs of different steps are independent; of several runs the last one counts. The same graph
 * gives the same times. Cost: SAMPLES × (steps + edges).
 * @param steps in topological order
 */
export function* sampleFinish(
	steps: readonly SampledStep[],
	{ nowMs, deadlineMs, parallel }: { nowMs: number; deadlineMs: number | null; parallel: number | null },
): InParts<SampledGraph> {
	const ends: Float64Array[] = [];
	const last = new Float64Array(SAMPLES);
	const times: SampledTimes[] = [];
	for (const [at, step] of steps.entries()) {
		const ready = new Float64Array(SAMPLES);
		for (const need of step.needs) raise(ready, ends[need]);
		const starts = new Float64Array(SAMPLES);
		const own = new Float64Array(SAMPLES);
		const waves = Math.ceil(step.runs / Math.min(step.runs, parallel ?? step.runs));
		for (let i = 0; i < SAMPLES; i++) {
			const start = (ready[i] ?? 0) + drawn(step.wait, at * 2, i, 1);
			starts[i] = start;
			own[i] = start + (waves - 1) * step.run.p50Ms + Math.min(step.run.mostMs, drawn(step.run, at * 2 + 1, i, step.runs));
		}
		ends.push(own);
		raise(last, own);
		times.push({ start: rangeOf(starts, nowMs), finish: rangeOf(own, nowMs) });
		yield;
	}
	const missed = deadlineMs === null ? null : last.filter((ms) => nowMs + ms > deadlineMs).length / SAMPLES;
	return { steps: times, finish: rangeOf(last, nowMs), missShare: missed };
}

function raise(into: Float64Array, from: Float64Array | undefined): void {
	if (!from) return;
	for (let i = 0; i < SAMPLES; i++) into[i] = Math.max(into[i] ?? 0, from[i] ?? 0);
}

/** A log-normal time by its median and P90; the longest of several runs. */
function drawn({ p50Ms, p90Ms }: TimeSpread, stream: number, i: number, runs: number): number {
	const stride = STRIDES[stream % STRIDES.length] ?? 1;
	const at = (i * stride + Math.imul(stream, 2_654_435_761)) % SAMPLES;
	const position = at < 0 ? at + SAMPLES : at;
	const z = runs === 1 ? (normals[position] ?? 0) : normalAt(((position + 0.5) / SAMPLES) ** (1 / runs));
	if (p50Ms <= 0) return z > 0 ? Math.max(0, p90Ms) * Math.min(1, z / NORMAL_P90) : 0;
	return p90Ms <= p50Ms ? p50Ms : p50Ms * Math.exp((Math.log(p90Ms / p50Ms) / NORMAL_P90) * z);
}

function rangeOf(ms: Float64Array, nowMs: number): TimeRange {
	const sorted = ms.toSorted();
	const at = (share: number): number => nowMs + Math.round(sorted[Math.min(SAMPLES - 1, Math.floor(share * SAMPLES))] ?? 0);
	return { p50Ms: at(0.5), p90Ms: at(0.9) };
}
