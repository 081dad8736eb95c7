import type { JobSpec } from "#server/domain/job.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { DurationBook } from "#server/scheduling/forecast/duration-book.ts";
import { makeRunTimeOf, type RunTimeOf } from "#server/scheduling/run-time.ts";
import type { DurationStat } from "#server/scheduling/types.ts";

/** How often statistics are reread. Between two reads they do not change, as with the caches of two live cycles. */
const READ_EVERY_MS = 4 * HOUR_MS;

/** Run times of finished jobs, as a live scheduler would have learned them by now: the same history for every strategy that estimates. */
export class RunHistory {
	readonly #book = new DurationBook();
	#stats: DurationStat[] = [];
	#readAtMs = Number.NEGATIVE_INFINITY;
	#runTimeOf: RunTimeOf = makeRunTimeOf([]);
	readonly #readEveryMs: number;

	constructor(readEveryMs = READ_EVERY_MS) {
		this.#readEveryMs = readEveryMs;
	}

	/** Records a finished job's work, ms. */
	add(spec: JobSpec, workMs: number): void {
		this.#book.add({ spec, durationMs: workMs });
	}

	stats(nowMs: number): DurationStat[] {
		if (nowMs - this.#readAtMs < this.#readEveryMs) return this.#stats;
		this.#readAtMs = nowMs;
		const stats = this.#book.read();
		if (stats !== this.#stats) {
			this.#stats = stats;
			this.#runTimeOf = makeRunTimeOf(stats);
		}
		return stats;
	}

	runTimeOf(nowMs: number): RunTimeOf {
		this.stats(nowMs);
		return this.#runTimeOf;
	}
}
