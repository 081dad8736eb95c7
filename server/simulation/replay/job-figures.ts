import { SECOND_MS } from "#server/kernel/units.ts";
import type { ReplayJob } from "./job.ts";
import { round3 } from "./meter.ts";
import type { JobReport } from "./types.ts";

/** Waits, times to a model and missed deadlines. Only numbers are kept of jobs that are over, so that a long replay can release them. */
export class JobFigures {
	/** Shortest possible time from a job's submission to its end, ms. */
	readonly #leastMs: (job: ReplayJob) => number;
	/** Of finished jobs, ms. */
	readonly #waitsMs: number[] = [];
	readonly #burstWaitsMs: number[] = [];
	readonly #timesMs: number[] = [];
	#jobs = 0;
	#strictMisses = 0;
	#avoidableStrictMisses = 0;
	#softMisses = 0;
	/** First submission, UTC ms; infinite without a job. */
	firstMs = Number.POSITIVE_INFINITY;

	constructor(leastMs: (job: ReplayJob) => number) {
		this.#leastMs = leastMs;
	}

	/** Counts a job that is over, or that the replay leaves unfinished. */
	add(job: ReplayJob): void {
		this.#jobs++;
		this.firstMs = Math.min(this.firstMs, job.submittedAtMs);
		this.#countMiss(job);
		if (job.finishedAtMs === null) return;
		const waitMs = (job.firstStartMs ?? 0) - job.submittedAtMs;
		this.#waitsMs.push(waitMs);
		if (job.startedInCloud) this.#burstWaitsMs.push(waitMs);
		this.#timesMs.push(job.finishedAtMs - job.submittedAtMs);
	}

	/** The deadline of a pipeline's job is only its step's share of the pipeline's deadline. */
	#countMiss(job: ReplayJob): void {
		const { deadlineAtMs } = job;
		if (deadlineAtMs === null || job.pipelineId !== null || (job.finishedAtMs ?? Number.POSITIVE_INFINITY) <= deadlineAtMs) return;
		if (job.deadlineKind !== "strict") {
			this.#softMisses++;
			return;
		}
		this.#strictMisses++;
		if (job.submittedAtMs + this.#leastMs(job) <= deadlineAtMs) this.#avoidableStrictMisses++;
	}

	report(): JobReport {
		const waits = sortedSeconds(this.#waitsMs);
		const burstWaits = sortedSeconds(this.#burstWaitsMs);
		const times = sortedSeconds(this.#timesMs);
		return {
			jobs: this.#jobs,
			jobsDone: waits.length,
			meanWaitS: meanOf(waits),
			p50WaitS: quantileOf(waits, 0.5),
			p95WaitS: quantileOf(waits, 0.95),
			burstJobs: burstWaits.length,
			meanBurstWaitS: meanOf(burstWaits),
			p95BurstWaitS: quantileOf(burstWaits, 0.95),
			meanTimeToModelS: meanOf(times),
			p50TimeToModelS: quantileOf(times, 0.5),
			p95TimeToModelS: quantileOf(times, 0.95),
			strictMisses: this.#strictMisses,
			avoidableStrictMisses: this.#avoidableStrictMisses,
			softMisses: this.#softMisses,
		};
	}
}

function sortedSeconds(ms: readonly number[]): Float64Array {
	return Float64Array.from(ms, (value) => value / SECOND_MS).sort();
}

function meanOf(values: Float64Array): number {
	return values.length === 0 ? 0 : round3(values.reduce((sum, value) => sum + value, 0) / values.length);
}

/** The smallest value that at least this share of all values does not exceed. */
function quantileOf(sorted: Float64Array, share: number): number {
	return round3(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0);
}
